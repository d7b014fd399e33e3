import * as z from 'zod/mini'
import { caller, described, person } from '../schema.ts'

/** Result of opening the link in a verification mail (`easydash.api.account.verify_email`). */
export const confirmed = z.object({
  email: caller,
  redirect: described(z.string(), 'Where to go on, e.g. to choose a password'),
  choose_password: described(z.boolean(), 'Others signed up with the address, too: the earlier passwords do not count'),
})

/** What `easydash.api.account.verify_email` returns. */
export type Confirmed = z.infer<typeof confirmed>

/** Who confirms the caller where no email can (`easydash.api.account.waiting_for`). */
export const waitingFor = z.object({
  organization: described(z.nullable(z.string()), 'Title of the organization; null after the invitation was withdrawn'),
  invited_by: described(z.nullable(person), 'Name of the person who sent the invitation; null after it was withdrawn'),
  ended: described(z.boolean(), 'Nobody can confirm the caller until they open a newer link'),
})

/** What `easydash.api.account.waiting_for` returns. */
export type WaitingFor = z.infer<typeof waitingFor>

/** Address a verification link was sent to (`resend_verification`, `change_unverified_email`). */
export const linkSent = z.object({
  email: caller,
  mail_server: described(
    z.boolean(),
    'Whether the installation has a mail server; without one the mail stays in the outbox',
  ),
})

/** What `resend_verification` and `change_unverified_email` return. */
export type LinkSent = z.infer<typeof linkSent>
