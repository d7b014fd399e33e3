import { msg, type LocalizedMessage } from '../localized-message.ts'
/** Accepted key types; all others are too weak, or certificates. */
export type SshKeyKind =
  | 'ssh-ed25519'
  | 'ecdsa-sha2-nistp256'
  | 'ecdsa-sha2-nistp384'
  | 'ecdsa-sha2-nistp521'
  | 'ssh-rsa'

/** A parsed public key. */
export interface SshPublicKey {
  kind: SshKeyKind
  /** The key in base64, the middle part of the line. */
  base64: string
  comment: string
  /** Length of an RSA modulus or of a curve, in bits. */
  bits: number
}

/** Bits of each curve, and the length of a point in the key in bytes. */
const curves: Readonly<Record<string, { curve: string; bits: number; point: number }>> = {
  'ecdsa-sha2-nistp256': { curve: 'nistp256', bits: 256, point: 65 },
  'ecdsa-sha2-nistp384': { curve: 'nistp384', bits: 384, point: 97 },
  'ecdsa-sha2-nistp521': { curve: 'nistp521', bits: 521, point: 133 },
}

const minRsaBits = 2048
const maxRsaBits = 16_384

/**
 * Parses a public key in OpenSSH format: type, base64, comment. The encoded data must match the type exactly (RFC 4253
 * section 6.6, RFC 5656, RFC 8709). Errors are returned as messages for the user.
 */
export function parseSshPublicKey(line: string): SshPublicKey | { problem: LocalizedMessage } {
  const trimmed = line.trim()
  if (/PRIVATE KEY/.test(trimmed))
    return { problem: msg`This is a private key. Paste the public one, from the file that ends with .pub.` }
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(trimmed)) return { problem: msg`A public key is one line without line breaks.` }
  const [kind = '', base64 = '', ...rest] = trimmed.split(/ +/)
  const wrong = { problem: msg`Paste a public key such as ssh-ed25519 AAAAC3… ann@laptop.` }
  if (kind === '' || base64 === '') return wrong
  if (!isKind(kind)) {
    return { problem: msg`Use a key of kind Ed25519, ECDSA or RSA (2048 bits or more).` }
  }
  const parts = toDescriptor(base64)
  if (!parts || new TextDecoder().decode(parts[0]) !== kind) return wrong
  const bits = bitsOf(kind, parts)
  if (bits === null) return wrong
  if (kind === 'ssh-rsa' && bits < minRsaBits)
    return { problem: msg`This RSA key has ${bits} bits; 2048 are the least.` }
  return { kind, base64, comment: rest.join(' '), bits }
}

const isKind = (kind: string): kind is SshKeyKind =>
  kind === 'ssh-ed25519' || kind === 'ssh-rsa' || Object.hasOwn(curves, kind)

/** The length-prefixed parts of the key; null if they don't match the base64 text exactly. */
function toDescriptor(base64: string): Uint8Array[] | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.length % 4 !== 0) return null
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  const view = new DataView(bytes.buffer)
  const parts: Uint8Array[] = []
  for (let at = 0; at < bytes.length;) {
    if (at + 4 > bytes.length || parts.length === 3) return null
    const length = view.getUint32(at)
    if (at + 4 + length > bytes.length) return null
    parts.push(bytes.subarray(at + 4, at + 4 + length))
    at += 4 + length
  }
  return parts
}

/** Bits of the key; null if its parts don't match its type. */
function bitsOf(kind: string, parts: readonly Uint8Array[]): number | null {
  const [, second, third] = parts
  if (second === undefined) return null
  if (kind === 'ssh-ed25519') return parts.length === 2 && second.length === 32 ? 256 : null
  if (third === undefined) return null
  const curve = curves[kind]
  if (curve) {
    const isPoint = third.length === curve.point && third[0] === 4
    return new TextDecoder().decode(second) === curve.curve && isPoint ? curve.bits : null
  }
  // RSA: the exponent, then the modulus, each without redundant leading zeros.
  const exponent = isPositive(second) && second.length <= 8
  const bits = isPositive(third) ? bitLength(third) : 0
  return exponent && bits > 0 && bits <= maxRsaBits ? bits : null
}

/** Whether the bytes are a positive integer in SSH encoding. */
function isPositive(bytes: Uint8Array): boolean {
  const [first = 0x80, second = 0] = bytes
  return first < 0x80 && !(first === 0 && second < 0x80)
}

function bitLength(bytes: Uint8Array): number {
  const start = bytes[0] === 0 ? 1 : 0
  return (bytes.length - start) * 8 - Math.clz32(bytes[start] ?? 0) + 24
}
