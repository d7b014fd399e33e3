import { createHash, createPublicKey, sign, verify, type KeyObject } from 'node:crypto'
import { publicKeyLine } from './client-key.ts'

/*
 * Signatures of `ssh-keygen -Y sign` by an Ed25519 key
 * (https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.sshsig). The namespace keeps a signature from being used for
 * anything else, a login included.
 */

const magic = Buffer.from('SSHSIG')
const hashName = 'sha512'
const [begin, end] = ['-----BEGIN SSH SIGNATURE-----', '-----END SSH SIGNATURE-----']
/** Longest signature that is read, in characters. */
const maxLength = 4_096

function field(content: Buffer | string): Buffer {
  const bytes = Buffer.from(content)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

const signedBytes = (namespace: string, text: string): Buffer =>
  Buffer.concat([
    magic,
    ...[field(namespace), field(''), field(hashName), field(createHash(hashName).update(text).digest())],
  ])

/** The public key of a line `ssh-ed25519 AAAA…`, as bytes. */
const keyBytes = (line: string): Buffer => Buffer.from(line.split(' ')[1] ?? '', 'base64')

/** Signs a text. */
export function signText(key: KeyObject, namespace: string, text: string): string {
  const signature = Buffer.concat([field('ssh-ed25519'), field(sign(null, signedBytes(namespace, text), key))])
  const version = Buffer.from([0, 0, 0, 1])
  const blob = Buffer.concat([
    ...[magic, version, field(keyBytes(publicKeyLine(createPublicKey(key)))), field(namespace)],
    ...[field(''), field(hashName), field(signature)],
  ])
  return [begin, ...(blob.toString('base64').match(/.{1,70}/g) ?? []), end, ''].join('\n')
}

/** The key whose signature of a text this is, as a line `ssh-ed25519 AAAA…`; null if it is none. */
export function signerOf(signature: string, namespace: string, text: string): string | null {
  if (signature.length > maxLength || !signature.startsWith(begin) || !signature.trimEnd().endsWith(end)) return null
  const blob = Buffer.from(signature.replace(begin, '').replace(end, ''), 'base64')
  let at = magic.length + 4
  const next = (from: Buffer): Buffer => {
    const start = at + 4
    const length = start <= from.length ? from.readUInt32BE(at) : Number.POSITIVE_INFINITY
    if (start + length > from.length) return Buffer.alloc(0)
    at = start + length
    return from.subarray(start, at)
  }
  const head = Buffer.concat([magic, Buffer.from([0, 0, 0, 1])])
  if (!blob.subarray(0, at).equals(head)) return null
  const [key, space, reserved, hash, whole] = [next(blob), next(blob), next(blob), next(blob), next(blob)]
  if (space.toString() !== namespace || reserved.length > 0 || hash.toString() !== hashName) return null
  at = 0
  const [algorithm, bytes] = [next(whole), next(whole)]
  at = 0
  const [kind, x] = [next(key), next(key)]
  if (algorithm.toString() !== 'ssh-ed25519' || kind.toString() !== 'ssh-ed25519' || x.length !== 32) return null
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: x.toString('base64url') }, format: 'jwk' })
  return verify(null, signedBytes(namespace, text), publicKey, bytes) ? publicKeyLine(publicKey) : null
}
