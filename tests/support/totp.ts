/** An authenticator app for tests. */
import { HOTP, Secret } from 'otpauth'

/** The six digits an authenticator app shows for a time step (30 s since the epoch). */
export function totpCode(base32Secret: string, step: number): string {
  return HOTP.generate({ secret: Secret.fromBase32(base32Secret), counter: step })
}
