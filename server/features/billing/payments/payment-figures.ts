import { sql } from 'kysely'
import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { SubscriptionDoctype } from '#shared/doctypes/subscription-organization.ts'
import type { Health } from '#shared/responses/health.ts'
import { freePlan, planNames } from '#shared/rules/plans.ts'
import { inSystem, isPaid, type BillingDeps } from '../deps.ts'

type Figures = NonNullable<Health['payments']>

/** What the platform admin sees of payments, none of it about cards; null where nothing is paid for. */
export async function paymentFigures(deps: BillingDeps): Promise<Figures | null> {
  if (!isPaid(deps)) return null
  return inSystem(deps, async (tx) => {
    const { last, waiting } = await eventFigures(tx)
    const rows = await tx.listFields(
      SubscriptionDoctype,
      ['name', 'subscription_id', 'price', 'price_currency', 'unpaid_since'],
      [['subscription_id', 'is', 'set']],
    )
    const organizations = await tx.listFields(OrganizationDoctype, ['name', 'plan'], [['plan', '!=', freePlan]])
    const paid = new Map(rows.map((row) => [row.name, row]))
    return {
      // The provider tells of every payment: if it never did, its events go somewhere else.
      ok: waiting === 0 && (last !== null || rows.length === 0),
      last_event: last === null ? null : formatTimestamp(last.getTime()),
      waiting_events: waiting,
      unpaid: rows.filter(({ unpaid_since }) => unpaid_since !== null).length,
      granted: organizations.filter(({ name }) => !paid.has(name)).length,
      income: planNames.flatMap((plan) => {
        const payers = organizations.flatMap(({ name, plan: own }) => (own === plan ? (paid.get(name) ?? []) : []))
        return [...Map.groupBy(payers, ({ price_currency }) => price_currency ?? '')].map(([currency, some]) => ({
          plan,
          organizations: some.length,
          amount: Math.round(some.reduce((sum, { price }) => sum + (price ?? 0), 0) * 1000) / 1000,
          currency,
        }))
      }),
    }
  })
}

/** When the provider last told something, and how much of it has had no effect for ten minutes. */
async function eventFigures({ trx }: Tx): Promise<{ last: Date | null; waiting: number }> {
  const { rows } = await sql<{ last: Date | null; waiting: string }>`select max(received) as last,
    count(*) filter (where done is null and received < now() - interval '10 minutes') as waiting
    from easydash_billing_event`.execute(trx)
  return { last: rows[0]?.last ?? null, waiting: Number(rows[0]?.waiting ?? 0) }
}
