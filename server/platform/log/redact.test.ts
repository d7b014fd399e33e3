import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LONGEST_TEXT, MASK, registerSecret } from './redact-text.ts'
import { isSecretName, redact } from './redact.ts'

/** A value that never occurs by chance, of characters used in tokens. */
const secretValue = fc
  .string({
    unit: fc.constantFrom(...'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789_'),
    minLength: 16,
    maxLength: 43,
  })
  .map((text) => `Zq${text}`)
const secretNames = [
  'password',
  'pwd',
  'new_password',
  'adminPassword',
  'client_secret',
  'secretKey',
  'token',
  'csrf_token',
  'accessToken',
  'api_key',
  'apiKey',
  'X-Api-Key',
  'Authorization',
  'cookie',
  'Set-Cookie',
  'sid',
  'otp',
  'key',
  'private_key',
  'passphrase',
  'smtp_credentials',
  'randomised_http_auth_password',
  'setup_token',
  'signature',
]

test.each(secretNames)('%s is the name of a secret', (name) => expect(isSecretName(name)).toBe(true))

test.each([
  'name',
  'hostname',
  'status',
  'public_key',
  'publishable_key',
  'step_key',
  'keyboard',
  'monkey',
  'sidebar',
  'author',
  'attempts',
  'organization',
  'passed',
  'opinion',
])('%s is not the name of a secret', (name) => expect(isSecretName(name)).toBe(false))

test('a value under a telling key disappears at any depth and of any kind', () => {
  const kind = (secret: string) =>
    fc.constantFrom<unknown>(secret, [secret], { inner: secret }, { deep: [{ er: secret }] })
  fc.assert(
    fc.property(
      secretValue,
      fc.constantFrom(...secretNames),
      fc.integer({ min: 0, max: 5 }),
      fc.boolean(),
      (secret, name, depth, inList) => {
        fc.assert(
          fc.property(kind(secret), (held) => {
            let value: unknown = { [name]: held, other: 'stays' }
            for (let n = 0; n < depth; n += 1) value = inList ? [value] : { level: value }
            const text = JSON.stringify(redact(value))
            expect(text).not.toContain(secret)
            expect(text).toContain('stays')
          }),
          { numRuns: 4 },
        )
      },
    ),
    { numRuns: 60 },
  )
})

const places: ((secret: string) => string)[] = [
  (s) => `connect to postgresql://user:${s}@db.example/x failed`,
  (s) => `https://${s}@github.com/a/b.git`,
  (s) => `http://localhost:8080/web/signup?setup=${s}`,
  (s) => `GET /web/reset-password?key=${s}&x=1`,
  (s) => `/web/verify-email?a=1&token=${s} was opened`,
  (s) => `see (https://a.b/c?access_token=${s})`,
  (s) => `Authorization: Bearer ${s}`,
  (s) => `authorization: Basic ${s}==`,
  (s) => `token ${s}:${s}`,
  (s) => `Cookie: a=b; sid=${s}`,
  (s) => `set-cookie: sid=${s}; HttpOnly`,
  (s) => `sid=${s}; Path=/`,
  (s) => `{"password":"${s}","user":"ann"}`,
  (s) => `{"a":{"api_key": "${s}"}}`,
  (s) => `wp user create --user_pass=${s} --admin_password=${s}`,
  (s) => `password: ${s}`,
  (s) => `password='${s} with spaces'`,
  (s) => `X-Auth-Token: ${s}`,
  (s) => `"{\\"pwd\\":\\"${s}\\"}"`,
  (s) => `redirect=%2Fweb%3Ftoken%3D${s}`,
  (s) => `-----BEGIN OPENSSH PRIVATE KEY-----\n${s}\n${s}\n-----END OPENSSH PRIVATE KEY-----`,
  (s) => `sk_live_${s.replaceAll('_', 'x')}`,
  (s) => `$argon2id$v=19$m=65536,t=3,p=1$${s}$${s}`,
  (s) => `https://s3.test/b?X-Amz-Signature=${s}&X-Amz-Date=1`,
  (s) => `client_secret=${s}&grant_type=x`,
]

test('a secret in free text disappears wherever secrets stand in texts', () => {
  fc.assert(
    fc.property(
      secretValue,
      fc.constantFrom(...places),
      fc.constantFrom('', 'before ', 'a\nb\n', '(', '['),
      (secret, format, before) => {
        expect(redact(`${before}${format(secret)} `)).not.toContain(secret)
      },
    ),
    { numRuns: 400 },
  )
})

test('card numbers disappear, as validation finds them; other figures stay', () => {
  expect(redact('paid with 4111 1111 1111 1111 by Ann')).toBe('paid with ***** by Ann')
  expect(redact({ note: '５５５５５５５５５５５５４４４４', n: 4_111_111_111_111_111 })).toEqual({
    note: '*****',
    n: '*****',
  })
  const kept = { at: '2026-11-21 13:40:18.123456', ms: 'took until 1732196418123', bytes: 2_000_398_934_016 }
  expect(redact(kept)).toEqual(kept)
})

test('errors keep their kind and lose their secrets, in message, stack, cause and own fields', () => {
  fc.assert(
    fc.property(secretValue, (secret) => {
      const cause = new Error(`POST https://a.test/?token=${secret}`)
      const error = Object.assign(new TypeError(`bad password=${secret}`, { cause }), {
        config: { headers: { authorization: secret } },
        code: 'EBAD',
      })
      const plain = redact(error) as Record<string, unknown>
      expect(JSON.stringify(plain)).not.toContain(secret)
      expect(plain).toMatchObject({ name: 'TypeError', code: 'EBAD' })
    }),
  )
})

test('a registered value disappears in each of its spellings', () => {
  const registered = randomBytes(8).toString('hex')
  const secret = `p@ss "w/rd" 100%-${registered}`
  registerSecret(secret)
  for (const text of [
    secret,
    encodeURIComponent(secret),
    JSON.stringify({ note: secret }),
    Buffer.from(secret).toString('base64'),
    `x${secret}y`,
  ]) {
    const clean = redact(text)
    expect(clean).toContain(MASK)
    expect(clean).not.toContain(registered)
    expect(clean).not.toContain(Buffer.from(secret).toString('base64').slice(0, 20))
  }
  registerSecret('ab')
  expect(redact('about a cab')).toBe('about a cab')
})

test('it can be applied twice, never throws and gives something JSON can write', () => {
  fc.assert(
    fc.property(
      fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withTypedArray: true }),
      (value) => {
        const once = redact(value)
        expect(JSON.stringify(redact(once))).toBe(JSON.stringify(once))
      },
    ),
    { numRuns: 300 },
  )
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(redact(redact(text))).toBe(redact(text))
    }),
    { numRuns: 500 },
  )
})

test('harmless text stays as it is', () => {
  for (const text of [
    'Site blog.localhost is Live.',
    'https://example.com/a?page=2&sort=name',
    'the key was found',
    'a basic idea',
    'Tokens are counted',
    'ann@example.com',
    'http://blog.localhost:8080/wp-admin/',
    'keyboard=qwerty',
    'C:\\path',
    'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB ann',
  ])
    expect(redact(text)).toBe(text)
})

test('cycles, depth, bytes and prototypes do no harm', () => {
  const circle: Record<string, unknown> = {
    name: 'a',
    bytes: Buffer.from('secret'),
    when: new Date(0),
    on: true,
    empty: { password: '', token: null },
  }
  circle['self'] = circle
  expect(redact(circle)).toEqual({
    name: 'a',
    bytes: '[6 bytes]',
    when: '1970-01-01T00:00:00.000Z',
    on: true,
    empty: { password: '', token: null },
    self: '[…]',
  })
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  redact(JSON.parse('{"__proto__":{"polluted":1}}'))
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
})

test('ignores map keys that are not text', () => {
  const hostile = { toString: new Map() }
  expect(
    redact(
      new Map<unknown, unknown>([
        [hostile, 1],
        [7, 2],
        [() => 'x', 3],
      ]),
    ),
  ).toEqual({ '[object]': 1, 7: 2, '[function]': 3 })
})

test('the parts of an error can have any type', () => {
  const error = Object.assign(new Error('x'), { message: { toString: 7 }, stack: 7n, name: { password: 'x' } })
  expect(redact(error)).toMatchObject({ message: { toString: 7 }, stack: '7', name: { password: '*****' } })
})

test('text longer than a message is cut between two words, without leaving half a secret', () => {
  const secret = 'Zq7Hx3ZkPw9sTfVb2'
  const words = 'harmless words '.repeat(LONGEST_TEXT / 10)
  expect(redact(words).length).toBeLessThanOrEqual(LONGEST_TEXT)
  expect(redact(words)).toMatch(/ … \(\d+ characters\)$/)
  expect(redact(redact(words))).toBe(redact(words))
  // Wherever the text is truncated, even within a credential that is only recognized by its end, nothing of it remains.
  for (const text of [
    `https://user:${secret}@host.example`,
    `password="${secret} ${secret}"`,
    `{"password":"${secret} ${secret}"}`,
  ])
    for (let before = 0; before < text.length; before += 1) {
      const long = `${'x '.repeat(LONGEST_TEXT / 2).slice(before)} ${text} ${words}`
      expect(redact(long)).not.toContain(secret.slice(0, 8))
    }
  expect(redact('x'.repeat(LONGEST_TEXT + 1))).toBe(` … (${LONGEST_TEXT + 1} characters)`)
})

test('a value that holds too much is left out from there on', () => {
  const many = Array.from({ length: 900 }, () => ({ text: 'x'.repeat(LONGEST_TEXT - 10) }))
  const clean = JSON.stringify(redact(many))
  expect(clean.length).toBeLessThan(6 * LONGEST_TEXT)
  expect(clean).toContain('[…]')
  const keys = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`key_of_a_stranger_${at}`, 1]))
  expect(Object.keys(redact(keys) as object).length).toBeLessThan(20_000)
  expect(isSecretName('x'.repeat(2000))).toBe(true)
})

test.each([
  ['foo2-password=hunter2x', 'foo2-password=*****'],
  ['https://a.test/#jwt-eyJhbGciOi1.eyJzdWIiOi1.c2lnbmF0dXJl end', 'https://a.test/#jwt-***** end'],
  ['www.eyJhbGciOi1.eyJzdWIiOi1.c2lnbmF0dXJl', 'www.*****'],
  ['eyJ-eyJ-eyJ no parts follow', 'eyJ-eyJ-eyJ no parts follow'],
  ['my-cookie: a b c\nnext', 'my-cookie: *****\nnext'],
  ["curl -H 'X-Foo-Key: abc def'", "curl -H 'X-Foo-Key: *****"],
  ['{"password":"a\\"b c\\\\","user":"ann"}', '{"password":"*****","user":"ann"}'],
  ['{"password":"cut off here', '{"password":"*****"'],
  [String.raw`"{\"pwd\":\"a\\\"b\",\"user\":\"ann\"}"`, String.raw`"{\"pwd\":\"*****\",\"user\":\"ann\"}"`],
  ["password='never closed, to the end", 'password=*****'],
])('%j becomes %j', (text, expected) => expect(redact(text)).toBe(expected))
