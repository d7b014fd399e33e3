import * as z from 'zod/mini'
import { described } from '../schema.ts'

/** What `easydash.api.account.sign_up` returns: `signed_in` for the first account, otherwise always `check_mail`. */
export const signUpResponse = z.object({
  status: z.enum(['signed_in', 'check_mail']),
  message: z.string(),
  redirect: z.string(),
  mail_server: described(
    z.boolean(),
    'Whether the installation has a mail server; without one mails stay in its outbox',
  ),
})

/** What `easydash.api.account.sign_up` returns. */
export type SignUpResponse = z.infer<typeof signUpResponse>
