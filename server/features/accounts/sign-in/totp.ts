import { HOTP, Secret, TOTP } from 'otpauth'

/** Seconds an authenticator app shows one code (RFC 6238). */
const stepSeconds = 30

/** A random secret of `bytes` bytes in base32 without padding; RFC 4226 recommends 20 bytes for TOTP. */
export function newBase32Secret(bytes = 20): string {
  return new Secret({ size: bytes }).base32
}

/**
 * The time step of a code: the current one, or one before or after it to allow for clock drift. Null if the code is wrong or
 * not newer than `lastUsed`, the step of the last accepted code. `now` is in ms since epoch.
 */
export function totpStep(base32Secret: string, code: string, now: number, lastUsed: number): number | null {
  // otpauth compares bytes and throws for multi-byte characters.
  if (!/^\d{6}$/.test(code)) return null
  const secret = Secret.fromBase32(base32Secret)
  const current = TOTP.counter({ period: stepSeconds, timestamp: now })
  // One call per step, because a window search stops at the first match and its timing would reveal which one.
  const matches = [current, current - 1, current + 1].filter(
    (counter) => HOTP.validate({ token: code, secret, counter, window: 0 }) !== null,
  )
  return matches.find((step) => step > lastUsed) ?? null
}

/** The key URI an authenticator app reads from the QR code (https://github.com/google/google-authenticator/wiki/Key-Uri-Format). */
export function otpauthUrl(base32Secret: string, account: string, issuer: string): string {
  return new TOTP({
    secret: base32Secret,
    label: account,
    // A colon would end the issuer part of the label.
    issuer: issuer.replaceAll(':', ' ').trim(),
    period: stepSeconds,
  }).toString()
}
