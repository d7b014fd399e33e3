import * as z from 'zod/mini'
import { described, timestamp } from '../schema.ts'

/** Whether the caller uses two-factor authentication (`easydash.api.two_factor.status`). */
export const factorStatus = z.object({
  enabled: z.boolean(),
  since: described(z.nullable(timestamp), 'Null while it is off'),
  recovery_codes_left: z.int(),
})

/** What `easydash.api.two_factor.status` returns. */
export type FactorStatus = z.infer<typeof factorStatus>

/** A new secret from `two_factor.begin`. It takes effect once a code is confirmed. */
export const factorSetup = z.object({
  secret: described(z.string(), 'Base32, to type into an app'),
  otpauth_url: described(z.string(), 'What the QR code says'),
  qr: described(
    z.object({ size: z.int(), path: z.string() }),
    'The QR code as path data of an SVG with the view box "0 0 size size"',
  ),
})

/** What `easydash.api.two_factor.begin` returns. */
export type FactorSetup = z.infer<typeof factorSetup>
