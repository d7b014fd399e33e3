/** An authenticator app for tests. */
import { HOTP, Secret } from 'otpauth'

/** The six digits an authenticator app shows for a time step (30 s since the epoch). */
export function totpCode(base32Secret: string, step: number): string {
  return HOTP.generate({ secret: Secret.fromBase32(base32Secret), counter: step })
}

/**
 * Codes of one secret, each used once: the one of now, then the next, which is accepted early. Never the one of before, which
 * is refused when the step ends on the way. More than two codes need more than one step of time.
 */
export function unusedCodes(): (base32Secret: string) => string {
  let used = 0
  return (secret) => {
    const now = Math.floor(Date.now() / 30_000)
    used = Math.max(used + 1, now)
    if (used > now + 1) throw new Error('Every code of this step of time is used.')
    return totpCode(secret, used)
  }
}
