import { createHmac, randomBytes } from 'node:crypto'

/** Seconds one code is shown (RFC 6238). */
export const stepSeconds = 30

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** A new secret of 160 bits in base32, as apps take it. */
export function newTotpSecret(): string {
  return base32(randomBytes(20))
}

/** Bytes in base32 without padding (RFC 4648). */
export function base32(bytes: Uint8Array): string {
  let bits = ''
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0')
  return (bits.match(/.{1,5}/g) ?? []).map((part) => alphabet[Number.parseInt(part.padEnd(5, '0'), 2)]).join('')
}

function bytesOf(secret: string): Buffer {
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/** The code of one time step (RFC 4226, HMAC-SHA-1). */
export function totpCode(secret: string, step: number, digits = 6): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', bytesOf(secret)).update(counter).digest()
  const offset = (digest.at(-1) ?? 0) & 15
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits).padStart(digits, '0')
}

/**
 * The time step a code belongs to: now, or one before or after it for clocks that differ; null when it is wrong or not
 * newer than the last one that was used.
 */
export function totpStep(secret: string, code: string, now: number, lastUsed: number): number | null {
  const current = Math.floor(now / 1000 / stepSeconds)
  let found: number | null = null
  // All are computed in any case: the time tells nothing.
  for (const step of [current + 1, current - 1, current])
    if (totpCode(secret, step) === code && step > lastUsed) found = step
  return found
}

/** The address an app reads from the QR code. */
export function otpauthUrl(secret: string, account: string, issuer: string): string {
  // A colon would end the issuer's part of the label.
  const name = issuer.replaceAll(':', ' ').trim()
  const label = `${encodeURIComponent(name)}:${encodeURIComponent(account)}`
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(name)}&algorithm=SHA1&digits=6&period=${stepSeconds}`
}
