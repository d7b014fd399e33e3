/** An authenticator app, as the tests need one. */
import { HOTP, Secret } from 'otpauth'

/** The six digits an authenticator app shows in a time step of 30 s since epoch. */
export function totpCode(base32Secret: string, step: number): string {
  return HOTP.generate({ secret: Secret.fromBase32(base32Secret), counter: step })
}
