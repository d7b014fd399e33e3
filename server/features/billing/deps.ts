import type { Documents } from '#server/contracts/documents.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { systemClock, type Clock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { Log } from '#server/platform/log/log.ts'
import type { Mailer } from '#server/platform/mail/mail.ts'
import type { MailSender } from '#server/platform/mail/render-mail.ts'
import type { RateLimiter } from '#server/platform/rate-limit.ts'
import type { StripeApi } from '#server/providers/stripe/stripe-client.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'

/** What paying needs, on installations where plans are paid for. */
export interface Payments {
  readonly api: StripeApi
  readonly mailer: Pick<Mailer, 'send'>
  readonly sender: MailSender
  readonly rateLimiter: Pick<RateLimiter, 'hit'>
}

/** Dependencies of the billing feature. */
export interface BillingDeps {
  /** Late bound: the store is created with our controllers. */
  readonly documents: () => Documents
  readonly log: Log
  readonly clock?: Pick<Clock, 'now'>
  /** Null: no payment provider is set, and every plan is free to choose. */
  readonly payments: Payments | null
}

/** Dependencies of what is only there with a payment provider. */
export interface PaidDeps extends BillingDeps {
  readonly payments: Payments
}

/** Whether plans are paid for. */
export const isPaid = (deps: BillingDeps): deps is PaidDeps => deps.payments !== null

/** The dependencies of paying. Throws `unsupported` where nothing is paid for. */
export function paidDeps(deps: BillingDeps): PaidDeps {
  if (isPaid(deps)) return deps
  throw new AppError('unsupported', msg`This installation takes no payments: every plan is free to choose.`)
}

/** A transaction of the product itself: nobody asked for it, or who did was checked before. */
export const inSystem = <T>({ documents }: BillingDeps, fn: (tx: Tx) => Promise<T>): Promise<T> =>
  documents().transaction(systemSession('schedule'), fn)

/** Milliseconds since the epoch. */
export const nowOf = ({ clock }: BillingDeps): number => (clock ?? systemClock).now()
