import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { expect, test } from 'vitest'
import { parseSshPublicKey } from '#shared/rules/ssh-keys.ts'

/** Parts in SSH's wire format: length, bytes. */
const packed = (...parts: (string | Buffer)[]) =>
  Buffer.concat(
    parts.flatMap((part) => {
      const bytes = Buffer.from(part as string)
      const length = Buffer.alloc(4)
      length.writeUInt32BE(bytes.length)
      return [length, bytes]
    }),
  ).toString('base64')

const jwk = (key: KeyObject) => key.export({ format: 'jwk' }) as Record<string, string>
const number = (base64url: string) => {
  const bytes = Buffer.from(base64url, 'base64url')
  return (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes
}

function ed25519(comment = 'ann@laptop'): string {
  const { publicKey } = generateKeyPairSync('ed25519')
  return `ssh-ed25519 ${packed('ssh-ed25519', Buffer.from(jwk(publicKey)['x'] ?? '', 'base64url'))} ${comment}`.trim()
}

function rsa(bits: number): string {
  const { e = '', n = '' } = jwk(generateKeyPairSync('rsa', { modulusLength: bits }).publicKey)
  return `ssh-rsa ${packed('ssh-rsa', number(e), number(n))} ben`
}

function ecdsa(curve: 'P-256' | 'P-384' | 'P-521'): string {
  const name = `nistp${curve.slice(2)}`
  const { x = '', y = '' } = jwk(generateKeyPairSync('ec', { namedCurve: curve }).publicKey)
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
  return `ecdsa-sha2-${name} ${packed(`ecdsa-sha2-${name}`, name, point)}`
}

test('the usual kinds are read', () => {
  expect(parseSshPublicKey(`  ${ed25519('ann lee @ laptop')}\n`)).toMatchObject({
    kind: 'ssh-ed25519',
    comment: 'ann lee @ laptop',
    bits: 256,
  })
  expect(parseSshPublicKey(rsa(2048))).toMatchObject({ kind: 'ssh-rsa', bits: 2048, comment: 'ben' })
  expect(parseSshPublicKey(rsa(3072))).toMatchObject({ bits: 3072 })
  for (const curve of ['P-256', 'P-384', 'P-521'] as const)
    expect(parseSshPublicKey(ecdsa(curve))).toMatchObject({ bits: Number(curve.slice(2)), comment: '' })
})

test('a short RSA key is refused with its length', () => {
  expect(parseSshPublicKey(rsa(1024))).toMatchObject({
    problem: { text: 'This RSA key has 1024 bits; 2048 are the least.' },
  })
})

test('a private key is named as such', () => {
  const text =
    '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU=\n-----END OPENSSH PRIVATE KEY-----'
  expect(parseSshPublicKey(text)).toMatchObject({ problem: { text: expect.stringContaining('private key') as string } })
})

const body = ed25519('').split(' ')[1] ?? ''
test.each([
  ['empty', ''],
  ['one word', 'ssh-ed25519'],
  ['no base64', 'ssh-ed25519 ???'],
  ['cut off', `ssh-ed25519 ${body.slice(0, -8)}`],
  ['too long', `ssh-ed25519 ${Buffer.concat([Buffer.from(body, 'base64'), Buffer.from('x')]).toString('base64')}`],
  ['another kind inside', `ssh-rsa ${body}`],
  ['two lines', `ssh-ed25519 ${body} a\nssh-ed25519 ${body} b`],
  ['options in front', `command="rm -rf /" ssh-ed25519 ${body}`],
  ['old DSA', `ssh-dss ${packed('ssh-dss', 'a', 'b')}`],
  ['a prototype name', `constructor ${body}`],
  ['a length beyond the end', `ssh-ed25519 ${Buffer.from([255, 255, 255, 255]).toString('base64')}`],
  ['a control character', `ssh-ed25519 ${body} a\u0007`],
])('%s is refused', (_what, line) => {
  expect(parseSshPublicKey(line)).toMatchObject({ problem: { text: expect.any(String) as string } })
})

test('random texts never throw', () => {
  let seed = 7
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
  for (let n = 0; n < 2000; n += 1) {
    const bytes = Buffer.from(Array.from({ length: Math.floor(random() * 80) }, () => Math.floor(random() * 256)))
    const kind = ['ssh-ed25519', 'ssh-rsa', 'ecdsa-sha2-nistp256'][n % 3]
    expect(() => parseSshPublicKey(`${kind} ${bytes.toString('base64')} x`)).not.toThrow()
  }
})
