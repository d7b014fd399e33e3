import type { Documents } from '#server/contracts/documents.ts'
import { systemSession } from '#server/jobs/session.ts'
import { makePrice, readPrices, type PlanPrice } from '#server/providers/stripe/prices.ts'
import type { StripeApi } from '#server/providers/stripe/stripe-client.ts'
import type { PlanName } from '#shared/rules/plans.ts'
import { plansIn } from '../plans.ts'

/** A plan whose price at the provider is not what it costs here. */
export interface PriceChange {
  readonly plan: PlanName
  readonly amount: number
  readonly currency: string
  /** Null: it has none yet. */
  readonly before: PlanPrice | null
}

/** Which prices are missing or out of date. Plans for nothing and on request need none. */
export async function priceChanges(documents: Pick<Documents, 'transaction'>, api: StripeApi): Promise<PriceChange[]> {
  const plans = await documents.transaction(systemSession('terminal'), plansIn)
  const prices = await readPrices(api)
  return plans.flatMap(({ name: plan, plan_cost: amount, currency }) => {
    if (amount === null || amount === 0) return []
    const before = prices.get(plan) ?? null
    return before?.amount === amount && before.currency === currency ? [] : [{ plan, amount, currency, before }]
  })
}

/** Makes them. Who pays an older price goes on paying that until they change their plan. */
export async function makePrices(api: StripeApi, changes: readonly PriceChange[], productName: string): Promise<void> {
  for (const change of changes)
    await makePrice(api, change, { before: change.before, productName: `${productName} ${change.plan}` })
}
