/** An authenticator app for tests. Codes count for the step of time before, now and after, and each code once. */
import { HOTP, Secret } from 'otpauth'

/** The six digits an authenticator app shows for a time step (30 s since the epoch). */
export function totpCode(base32Secret: string, step: number): string {
  return HOTP.generate({ secret: Secret.fromBase32(base32Secret), counter: step })
}

const currentStep = (): number => Math.floor(Date.now() / 30_000)

/** The code of now, accepted for 30 s at least. Leaves room for an early one. */
export function currentCode(base32Secret: string): string {
  return totpCode(base32Secret, currentStep())
}

/** The code of the next step, accepted from now on for a minute at least, even after the code of now was used. */
export function earlyCode(base32Secret: string): string {
  return totpCode(base32Secret, currentStep() + 1)
}
