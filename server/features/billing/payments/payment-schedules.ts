import { sql } from 'kysely'
import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { readSubscription, endSubscription } from '#server/providers/stripe/subscriptions.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { PaymentMethodDoctype } from '#shared/doctypes/payment-method.ts'
import { SubscriptionDoctype, type Subscription } from '#shared/doctypes/subscription-organization.ts'
import { cardExpiry } from '#shared/rules/card-expiry.ts'
import { freePlan } from '#shared/rules/plans.ts'
import { inSystem, nowOf, type PaidDeps } from '../deps.ts'
import { graceEnd, graceMs } from './apply-subscription.ts'
import { whileClaimed } from './claim-change.ts'
import { lockedSubscription } from './customer.ts'
import { mailAboutPayment } from './payment-mails.ts'
import { refresh } from './refresh.ts'

const dayMs = 86_400_000
/** When the owner is told again, counted from the first mail. */
const reminderMs = 3 * dayMs
/** How long after a date of the provider its own change may take before only the sweep looks. */
const lateMs = 600_000

/** Compares all customers with the provider, mends what events did not tell, and looks for cards that expire. */
export async function comparePlans(deps: PaidDeps): Promise<void> {
  const rows = await inSystem(deps, (tx) =>
    tx.listFields(SubscriptionDoctype, ['name'], [['customer_id', 'is', 'set']]),
  )
  for (const { name } of rows) await follow(deps, name)
  await warnOfCards(deps, nowOf(deps))
  // The provider sends no event again after three days.
  await inSystem(deps, async ({ trx }) => {
    await sql`delete from easydash_billing_event where done < now() - interval '30 days'`.execute(trx)
    await sql`delete from easydash_billing_card where taken < now() - interval '30 days'`.execute(trx)
    await sql`delete from easydash_billing_choice where stored < now() - interval '30 days'`.execute(trx)
  })
}

/** What is due: plans whose period or date has passed, unpaid ones, and what deleted organizations left. */
export async function followDuePlans(deps: PaidDeps): Promise<void> {
  const now = nowOf(deps)
  const passed = ['between', [formatTimestamp(now - lateMs), formatTimestamp(now)]] as const
  const rows = await inSystem(deps, (tx) =>
    tx.list(SubscriptionDoctype, [['subscription_id', 'is', 'set']], {
      or_filters: [
        ['billed_until', ...passed],
        ['scheduled_date', ...passed],
        ['cancelation_date', ...passed],
      ],
    }),
  )
  for (const { name } of rows) await follow(deps, name)
  const unpaid = await inSystem(deps, (tx) => tx.list(SubscriptionDoctype, [['unpaid_since', 'is', 'set']]))
  for (const row of unpaid) await followUnpaid(deps, row, now)
  await endDeleted(deps)
}

/** Tells owners, once for each card, that the one that pays a running plan expires within 30 days. */
async function warnOfCards(deps: PaidDeps, now: number): Promise<void> {
  const until = new Date(now + 31 * dayMs).getUTCFullYear()
  const cards = await inSystem(deps, (tx) =>
    tx.list(PaymentMethodDoctype, [
      ['is_default', '=', 1],
      ['exp_year', '<=', until],
    ]),
  )
  for (const card of cards) {
    if (card.exp_month === null || card.exp_year === null) continue
    const expiry = { exp_month: card.exp_month, exp_year: card.exp_year }
    const month = `${card.exp_year}-${String(card.exp_month).padStart(2, '0')}`
    if (card.warned_expiry === month || cardExpiry(expiry, now) !== 'soon') continue
    await inSystem(deps, (tx) => warnOfCard(deps, tx, card.name, month))
  }
}

async function warnOfCard(deps: PaidDeps, tx: Tx, name: string, month: string): Promise<void> {
  const card = await tx.get(PaymentMethodDoctype, name, { lock: true })
  const row = card && (await tx.get(SubscriptionDoctype, card.organization))
  const organization = card && (await tx.get(OrganizationDoctype, card.organization))
  if (!card || !organization || card.warned_expiry === month) return
  if (row?.subscription_id == null || row.cancelation_date !== null) return
  await tx.updateColumns(PaymentMethodDoctype, name, { warned_expiry: month })
  const { brand, last4 } = card
  await mailAboutPayment(deps, tx, organization, {
    kind: 'card_expiring',
    brand: brand ?? '',
    last4: last4 ?? '',
    month,
  })
}

async function follow(deps: PaidDeps, organization: string): Promise<void> {
  try {
    await refresh(deps, organization, 'provider')
  } catch (error) {
    deps.log.error('A plan could not be compared with the payment provider', { organization, error })
  }
}

/** Reminds the owner after three days; after seven, the plan ends. */
async function followUnpaid(deps: PaidDeps, row: Subscription, now: number): Promise<void> {
  const passed = (ms: number) => row.unpaid_since !== null && row.unpaid_since <= formatTimestamp(now - ms)
  try {
    if (passed(graceMs)) await endUnpaid(deps, row)
    else if (passed(reminderMs) && (row.reminders ?? 0) < 2) await inSystem(deps, (tx) => remind(deps, tx, row.name))
  } catch (error) {
    deps.log.error('An unpaid plan could not be followed', { organization: row.name, error })
  }
}

async function remind(deps: PaidDeps, tx: Tx, name: string): Promise<void> {
  const row = await lockedSubscription(tx, name)
  const organization = await tx.get(OrganizationDoctype, name)
  if (!organization || row.unpaid_since === null || (row.reminders ?? 0) >= 2) return
  await tx.updateColumns(SubscriptionDoctype, name, { reminders: 2 })
  const until = graceEnd(row.unpaid_since)
  await mailAboutPayment(deps, tx, organization, { kind: 'reminder', plan: organization.plan ?? freePlan, until })
}

/** It may have been paid since we looked, so the provider is asked before it is ended there. */
async function endUnpaid(deps: PaidDeps, row: Subscription): Promise<void> {
  const { api } = deps.payments
  const isEnded = await whileClaimed(deps, row.name, async () => {
    const found = row.customer_id === null ? null : await readSubscription(api, row.customer_id)
    if (found?.isUnpaid) await endSubscription(api, found)
  })
  // A new card may be paying right now.
  if (isEnded) await refresh(deps, row.name, 'provider')
}

/** Ends what deleted organizations paid for. */
async function endDeleted(deps: PaidDeps): Promise<void> {
  const { api } = deps.payments
  const customers = await inSystem(deps, async ({ trx }) => {
    const { rows } = await sql<{ customer: string }>`select customer from easydash_billing_ended`.execute(trx)
    return rows.map(({ customer }) => customer)
  })
  for (const customer of customers) {
    try {
      for (let one = await readSubscription(api, customer); one !== null; one = await readSubscription(api, customer))
        await endSubscription(api, one)
      await inSystem(deps, ({ trx }) =>
        sql`delete from easydash_billing_ended where customer = ${customer}`.execute(trx),
      )
    } catch (error) {
      deps.log.error('The subscription of a deleted organization could not be ended', { customer, error })
    }
  }
}
