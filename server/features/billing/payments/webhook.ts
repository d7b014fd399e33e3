import { sql } from 'kysely'
import type { RawRoute } from '#server/contracts/raw-route.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { verifyEvent } from '#server/providers/stripe/webhook-events.ts'
import { InvoiceDoctype } from '#shared/doctypes/invoice.ts'
import { SubscriptionDoctype } from '#shared/doctypes/subscription-organization.ts'
import { inSystem, nowOf, paidDeps, type BillingDeps, type PaidDeps } from '../deps.ts'
import { addCardOfEvent } from './cards.ts'
import { refresh } from './refresh.ts'

/** The provider's events are small; what they are about is read from the provider. */
const bodyLimit = 1024 * 1024

/** Where the provider tells that something happened. `wake` lets it be looked at, after the response. */
export function webhookRoute(deps: BillingDeps, wake: () => void): RawRoute {
  return {
    verb: 'POST',
    path: '/webhooks/stripe',
    bodyLimit,
    rateLimit: { limit: 6000, seconds: 60 },
    async run({ headers, body }) {
      const paid = paidDeps(deps)
      const event = await verifyEvent(paid.payments.api, body, headers['stripe-signature']?.toString(), nowOf(deps))
      const { id, type, created } = event
      const { isNew, customer } = await inSystem(paid, async (tx) => {
        const customer = event.customer ?? (await payerOf(tx, event.payment))
        const { rows } = await sql`insert into easydash_billing_event (id, type, customer, intent, created, done)
          values (${id.slice(0, 255)}, ${type.slice(0, 255)}, ${customer}, ${event.setupIntent}, to_timestamp(${created}),
            ${customer === null ? sql`now()` : null})
          on conflict (id) do nothing returning id`.execute(tx.trx)
        return { isNew: rows.length > 0, customer }
      })
      if (isNew && customer !== null) wake()
      return { status: 200, headers: { 'content-type': 'application/json' }, body: '{"received":true}' }
    },
  }
}

/** The customer whose invoice a payment paid, by our own rows. */
async function payerOf(tx: Tx, payment: string | null): Promise<string | null> {
  const invoice = payment === null ? null : await tx.find(InvoiceDoctype, [['payment_id', '=', payment]])
  const row = invoice && (await tx.get(SubscriptionDoctype, invoice.organization))
  return row?.customer_id ?? null
}

/**
 * Reads again what events were about, and pays with the cards they tell of. Another try follows within a minute, for a day; after that, the comparison of all
 * customers makes them done.
 */
export async function processEvents(deps: PaidDeps): Promise<void> {
  const told = await inSystem(deps, async ({ trx }) => {
    const { rows } = await sql<Told>`select customer, coalesce(jsonb_agg(jsonb_build_object('intent', intent,
        'at', extract(epoch from coalesce(created, received))) order by coalesce(created, received) desc)
        filter (where intent is not null), '[]') as cards
      from easydash_billing_event where done is null and received > now() - interval '1 day'
      group by customer order by min(received) limit 500`.execute(trx)
    return rows
  })
  for (const one of told) {
    try {
      await followCustomer(deps, one)
    } catch (error) {
      deps.log.error('An event of the payment provider could not be followed', { customer: one.customer, error })
    }
  }
}

/** What events told about a customer, with the setup intents that have succeeded, the newest first: no older card is charged. */
interface Told {
  readonly customer: string
  readonly cards: readonly { readonly intent: string; readonly at: number }[]
}

/** Whose customer it is says our own row, never the event. Of somebody unknown there is nothing to read. */
async function followCustomer(deps: PaidDeps, { customer, cards }: Told): Promise<void> {
  const row = await inSystem(deps, async (tx) => {
    const found = await tx.find(SubscriptionDoctype, [['customer_id', '=', customer]])
    if (!found)
      await sql`update easydash_billing_event set done = now()
        where done is null and customer = ${customer}`.execute(tx.trx)
    return found
  })
  if (!row) return
  for (const { intent, at } of cards) {
    // Otherwise it is tried again.
    if (!(await addCardOfEvent(deps, { organization: row.name, customer, intent, at }))) continue
    await inSystem(deps, ({ trx }) =>
      sql`update easydash_billing_event set done = now() where done is null and intent = ${intent}`.execute(trx),
    )
  }
  await refresh(deps, row.name, 'provider')
}
