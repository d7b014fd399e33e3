import { generateKeyPairSync, randomBytes } from 'node:crypto'

/** A host key that is used once: to know a new machine at the first contact. */
export interface FirstHostKey {
  /** `ssh-ed25519 AAAA…`. */
  readonly publicKey: string
  /** In the format of OpenSSH, which host keys must have. */
  readonly privateKey: string
}

const field = (bytes: Buffer | string): Buffer => {
  const content = Buffer.from(bytes as string)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  return Buffer.concat([length, content])
}

/** Generates a host key in the format `openssh-key-v1` (PROTOCOL.key of OpenSSH), unencrypted. */
export function generateFirstHostKey(): FirstHostKey {
  const { privateKey } = generateKeyPairSync('ed25519')
  const { x = '', d = '' } = privateKey.export({ format: 'jwk' })
  const [open, seed] = [Buffer.from(x, 'base64url'), Buffer.from(d, 'base64url')]
  const kind = 'ssh-ed25519'
  const line = Buffer.concat([field(kind), field(open)])
  const check = randomBytes(4)
  const secret = Buffer.concat([check, check, field(kind), field(open), field(Buffer.concat([seed, open])), field('')])
  const padding = Buffer.from(Array.from({ length: (8 - (secret.length % 8)) % 8 }, (_, at) => at + 1))
  const one = Buffer.from([0, 0, 0, 1])
  const whole = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    ...[field('none'), field('none'), field(''), one, field(line)],
    field(Buffer.concat([secret, padding])),
  ])
  const body = whole.toString('base64').replaceAll(/(.{70})/g, '$1\n')
  return {
    publicKey: `${kind} ${line.toString('base64')}`,
    privateKey: `-----BEGIN OPENSSH PRIVATE KEY-----\n${body.trimEnd()}\n-----END OPENSSH PRIVATE KEY-----\n`,
  }
}

/**
 * The cloud-init data of a new machine: the host key by which it is known at the first contact, and that root may log in with our key,
 * which some vendors' images allow to another user only. The vendor stores this text, and whoever can read it could pretend to be the
 * machine until the key is replaced, right after that contact.
 */
export function userData({ publicKey, privateKey }: FirstHostKey): string {
  const indented = privateKey.trimEnd().replaceAll('\n', '\n    ')
  return `#cloud-config
disable_root: false
ssh_deletekeys: true
ssh_keys:
  ed25519_private: |
    ${indented}
  ed25519_public: ${publicKey}
`
}
