import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** AES-256-GCM: 96-bit random nonce, 128-bit tag. */
const NONCE = 12
const TAG = 16

/** Length of every key in bytes. */
export const KEY_BYTES = 32

/**
 * Encrypts and authenticates; `aad` is authenticated too and required for opening. The result is base64url of nonce, tag and
 * ciphertext.
 */
export function sealBytes(key: Buffer, aad: string, plain: Buffer): string {
  const nonce = randomBytes(NONCE)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG })
  cipher.setAAD(Buffer.from(aad, 'utf8'))
  const body = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')
}

/** Decrypts a result of `sealBytes`. Throws if key, `aad` or a single bit differs. */
export function openBytes(key: Buffer, aad: string, sealed: string): Buffer {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length < NONCE + TAG) throw new Error('The sealed value is cut short.')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE), { authTagLength: TAG })
  decipher.setAAD(Buffer.from(aad, 'utf8'))
  decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG))
  return Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()])
}
