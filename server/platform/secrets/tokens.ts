import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** A new random secret of 256 bits as base64url (43 characters). Store only its hash. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * The stored form of a token: its SHA-256 in lowercase hex (64 characters). Tokens have full entropy, so no salt is needed.
 */
export function hashToken(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex')
}

/** Compares two secrets in constant time; their lengths may differ. */
export function sameSecret(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text, 'utf8').digest()
  return timingSafeEqual(digest(left), digest(right))
}
