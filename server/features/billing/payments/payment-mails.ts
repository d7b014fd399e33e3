import type { Tx } from '#server/contracts/transaction.ts'
import { renderMail, type MailContent } from '#server/platform/mail/render-mail.ts'
import type { Organization } from '#shared/doctypes/organization.ts'
import { freePlan, type PlanName } from '#shared/rules/plans.ts'
import type { PaidDeps } from '../deps.ts'

/** What happened to a payment. `until`: when the plan becomes Free. */
export type PaymentNews =
  | { readonly kind: 'failed' | 'reminder'; readonly plan: PlanName; readonly until: string }
  | { readonly kind: 'ended'; readonly plan: PlanName }
  | { readonly kind: 'grant_ending'; readonly plan: PlanName; readonly until: string }
  | { readonly kind: 'card_expiring'; readonly brand: string; readonly last4: string; readonly month: string }

/** Tells the owner, in the transaction that found out. */
export async function mailAboutPayment(
  { payments }: PaidDeps,
  tx: Tx,
  organization: Organization,
  news: PaymentNews,
): Promise<void> {
  const { sender } = payments
  const content = {
    to: organization._owner ?? organization.owner,
    kind: `payment_${news.kind}`,
    button: { label: 'Open payment methods', url: `${sender.url}/web/billing#payment-methods` },
    ...textOf(news, organization.title),
  }
  await payments.mailer.send(tx.trx, renderMail(sender, content))
}

function textOf(news: PaymentNews, title: string): Pick<MailContent, 'subject' | 'before' | 'after'> {
  const kept =
    'Nothing is deleted: sites and servers stay, but no new ones can be created beyond the limits of the plan.'
  switch (news.kind) {
    case 'failed':
      return {
        subject: `The payment for ${title} failed`,
        before: [
          `The ${news.plan} plan of ${title} was to be renewed, and the card was not charged.`,
          `Check the card or add another one. The plan stays until ${day(news.until)}; then it becomes ${freePlan}.`,
        ],
        after: [kept],
      }
    case 'reminder':
      return {
        subject: `The payment for ${title} is still open`,
        before: [
          `The ${news.plan} plan of ${title} is not paid. It becomes ${freePlan} on ${day(news.until)}.`,
          'Check the card or add another one.',
        ],
        after: [kept],
      }
    case 'ended':
      return {
        subject: `${title} is on ${freePlan} now`,
        before: [`The ${news.plan} plan of ${title} was not paid, so it has ended.`, 'You can choose a plan again.'],
        after: [kept],
      }
    case 'grant_ending':
      return {
        subject: `The ${news.plan} plan of ${title} is to be paid for`,
        before: [
          `${title} has the ${news.plan} plan for nothing until ${day(news.until)}. Then it becomes ${freePlan}.`,
          'To keep it, add a card and choose the plan.',
        ],
        after: [kept],
      }
    case 'card_expiring':
      return {
        subject: `The card for ${title} expires soon`,
        before: [
          `The ${news.brand} card that ends with ${news.last4} pays the plan of ${title}. It expires at the end of ${news.month}.`,
          'Add another one before then.',
        ],
        after: ['If you have done that already, there is nothing to do.'],
      }
  }
}

const day = (moment: string) => moment.slice(0, 10)
