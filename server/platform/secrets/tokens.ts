import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** A new secret of 256 random bits as base64url (43 characters). Only its hash is ever stored. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** What is stored of a token: its SHA-256 in lower-case hex (64 characters). Tokens have full entropy, so no salt is needed. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex')
}

/** Compares two secrets without telling by the time taken where they differ; the lengths may differ. */
export function sameSecret(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text, 'utf8').digest()
  return timingSafeEqual(digest(left), digest(right))
}
