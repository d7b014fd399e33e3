import { createHash } from 'node:crypto'
import { parseSshPublicKey } from '#shared/rules/ssh-keys.ts'
import { trimEnd } from '#shared/rules/trim-end.ts'

/** The public key of a server. */
export interface HostKey {
  /** As in `known_hosts`, without a comment: `ssh-ed25519 AAAA…`. */
  readonly line: string
  /** `SHA256:…`, as `ssh-keygen -l` shows it. */
  readonly fingerprint: string
}

/** Fingerprint of a public key in base64, in the format of `ssh-keygen -l`. */
export function sshFingerprint(base64: string): string {
  const sum = createHash('sha256').update(Buffer.from(base64, 'base64')).digest('base64')
  return `SHA256:${trimEnd(sum, '=')}`
}

/** A host key as a server sent it (RFC 4253 section 6.6); null if it is malformed or too weak. */
export function hostKeyOf(sent: Buffer): HostKey | null {
  if (sent.length < 4 || sent.length > maxKeyBytes) return null
  const kind = sent.toString('latin1', 4, 4 + sent.readUInt32BE(0))
  return parseHostKey(`${kind} ${sent.toString('base64')}`)
}

/** Parses the line of a host key; null if it is malformed or too weak. */
export function parseHostKey(text: string): HostKey | null {
  const key = parseSshPublicKey(text)
  if ('problem' in key) return null
  return { line: `${key.kind} ${key.base64}`, fingerprint: sshFingerprint(key.base64) }
}

/** More than RSA keys of 16,384 bits have. */
const maxKeyBytes = 4096

/** In order of preference. Without SHA-1. */
const algorithms = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
] as const

/**
 * Algorithms to ask a server for: first those of the key it is known by, because it may have several. The others follow, so that
 * a server which has only another key now is recognized as changed.
 */
export function hostKeyAlgorithms(known: HostKey | null): (typeof algorithms)[number][] {
  const kind = known?.line.split(' ')[0] ?? ''
  const isOfKnown = (name: string) => (kind === 'ssh-rsa' ? name.startsWith('rsa-') : name === kind)
  return [...algorithms.filter(isOfKnown), ...algorithms.filter((name) => !isOfKnown(name))]
}
