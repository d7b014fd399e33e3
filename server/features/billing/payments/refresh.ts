import { sql } from 'kysely'
import type { Tx } from '#server/contracts/transaction.ts'
import { crashPoint } from '#server/platform/processes/crash-point.ts'
import { readCards, setDefaultCard, type Card } from '#server/providers/stripe/cards.ts'
import { readInvoices, voidOfEnded, type ProviderInvoice } from '#server/providers/stripe/invoices.ts'
import { readSubscription, type ProviderSubscription } from '#server/providers/stripe/subscriptions.ts'
import { SubscriptionDoctype } from '#shared/doctypes/subscription-organization.ts'
import { inSystem, type PaidDeps } from '../deps.ts'
import { applySubscription, type FoundBy } from './apply-subscription.ts'
import { mirrorCards, mirrorInvoices } from './mirror.ts'

/** What the provider said about a customer. */
export interface Reading {
  /** Readings that began later are greater. */
  readonly order: number
  readonly subscription: ProviderSubscription | null
  /** Null: the customer was deleted. */
  readonly cards: readonly Card[] | null
  readonly invoices: readonly ProviderInvoice[]
}

/** Reads everything about an organization's customer again and makes it ours. Null if it has no customer. */
export async function refresh(deps: PaidDeps, organization: string, foundBy: FoundBy): Promise<Reading | null> {
  const before = await inSystem(deps, async (tx) => {
    const row = await tx.get(SubscriptionDoctype, organization)
    // Before anything is read, so that what changed earlier is in it.
    return row?.customer_id ? { customer: row.customer_id, order: await nextOrder(tx) } : null
  })
  if (before === null) return null
  const reading = await readCustomer(deps, before)
  crashPoint('billing/read')
  await inSystem(deps, async (tx) => {
    const isNewest = await applySubscription(deps, tx, organization, reading, foundBy)
    await endEvents(tx, before)
    if (!isNewest) return
    await mirrorCards(tx, organization, reading.cards ?? [])
    // Who pays again becomes a new one.
    if (reading.cards === null)
      await tx.updateColumns(SubscriptionDoctype, organization, {
        customer_id: null,
        customer_mark: null,
        payer_tax_id: null,
      })
    await mirrorInvoices(tx, organization, reading.invoices)
  })
  crashPoint('billing/applied')
  return reading
}

/** Microseconds on the clock of the database, which all processes share. An import brings rows along, but no sequence. */
async function nextOrder(tx: Tx): Promise<number> {
  const { rows } = await sql<{ order: string }>`select
    trunc(extract(epoch from clock_timestamp()) * 1000000)::bigint as "order"`.execute(tx.trx)
  return Number(rows[0]?.order)
}

/** What arrived before a reading began is in it, except that a new card is not paid with by being read. */
async function endEvents({ trx }: Tx, { customer, order }: { customer: string; order: number }): Promise<void> {
  await sql`update easydash_billing_event set done = now()
    where done is null and customer = ${customer} and received <= to_timestamp(${order}::numeric / 1000000)
    and (intent is null or received <= now() - interval '1 day')`.execute(trx)
}

async function readCustomer(
  { payments: { api }, log }: PaidDeps,
  { customer, order }: { customer: string; order: number },
): Promise<Reading> {
  const [subscription, cards, invoices] = await Promise.all([
    readSubscription(api, customer),
    withDefault(customer),
    readInvoices(api, customer, (error) =>
      log.warn('Refunds or disputes could not be read. They are asked for again with the next comparison', {
        customer,
        error,
      }),
    ),
  ])
  return { order, subscription, cards, invoices: await voidOfEnded(api, invoices, subscription) }

  /** Of several cards one pays: a browser that closed too early, or a removed one, leaves none. */
  async function withDefault(payer: string): Promise<Card[] | null> {
    const all = await readCards(api, payer)
    const newest = all?.[0]
    if (!all || !newest || all.some(({ isDefault }) => isDefault)) return all
    await setDefaultCard(api, payer, newest.id)
    return all.map((card) => ({ ...card, isDefault: card === newest }))
  }
}
