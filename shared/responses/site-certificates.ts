import * as z from 'zod/mini'
import { certificateKinds, certificateStates } from '../rules/site-certificates.ts'
import { described, timestamp } from '../schema.ts'

/** The certificate of a site as its server has it (`read_certificate`). */
export const siteCertificate = z.object({
  kind: described(z.nullable(z.enum(certificateKinds)), 'What the site is set to; null: it is served without TLS'),
  state: described(z.enum(certificateStates), '`missing`: the server says that there is a certificate, and has none'),
  issuer: z.nullable(z.string()),
  names: described(z.array(z.string()), 'Names it is for'),
  from: z.nullable(timestamp),
  until: z.nullable(timestamp),
  renews: described(z.nullable(timestamp), 'When the server renews it; null: nobody does'),
  fixed: described(z.nullable(z.string()), 'Why the server cannot change it; null: it can'),
})

/** See `siteCertificate`. */
export type SiteCertificate = z.infer<typeof siteCertificate>
