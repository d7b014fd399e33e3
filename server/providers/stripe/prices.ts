import type { Stripe } from 'stripe'
import { planNames, type PlanName } from '#shared/rules/plans.ts'
import { isOneOf } from '#shared/is-one-of.ts'
import { askStripe, everything, idOf, type StripeApi } from './stripe-client.ts'
import { inSmallest, inUnits } from './money.ts'

/** What a plan costs at the provider. */
export interface PlanPrice {
  readonly id: string
  readonly product: string
  readonly plan: PlanName
  readonly amount: number
  /** Upper case. */
  readonly currency: string
}

/** Metadata key of our prices: lookup keys move on to newer prices, and old ones stay in use. */
const planKey = 'easydash_plan'

/** Key by which the provider finds the present price of a plan. */
export const lookupKeyOf = (plan: PlanName): string => `easydash_${plan.toLowerCase()}_monthly`

/** The plan that a price is for; null if it is none of ours. */
export function planOfPrice({ metadata, lookup_key }: Pick<Stripe.Price, 'metadata' | 'lookup_key'>): PlanName | null {
  const named = metadata[planKey]
  if (named !== undefined && isOneOf(planNames, named)) return named
  return planNames.find((plan) => lookupKeyOf(plan) === lookup_key) ?? null
}

/** The plan of a price that is only named. */
export async function planOfPriceId(api: StripeApi, id: string): Promise<PlanName | null> {
  return planOfPrice(await askStripe(api, (stripe) => stripe.prices.retrieve(id)))
}

/** The present prices, by plan. */
export async function readPrices(api: StripeApi): Promise<ReadonlyMap<PlanName, PlanPrice>> {
  const prices = await askStripe(api, (stripe) =>
    everything(stripe.prices.list({ lookup_keys: planNames.map(lookupKeyOf), active: true, limit: 100 })),
  )
  return new Map(prices.flatMap((price) => priceOf(price)))
}

function priceOf(price: Stripe.Price): [PlanName, PlanPrice][] {
  const plan = planOfPrice(price)
  if (plan === null || price.unit_amount === null || price.recurring?.interval !== 'month') return []
  const currency = price.currency.toUpperCase()
  const amount = inUnits(price.unit_amount, currency)
  return [[plan, { id: price.id, product: idOf(price.product) ?? '', plan, amount, currency }]]
}

/**
 * Makes the price of a plan in place of `before`, with its product if there is none yet. The lookup key moves to it; who pays
 * an older one goes on paying that.
 */
export async function makePrice(
  api: StripeApi,
  { plan, amount, currency }: Pick<PlanPrice, 'plan' | 'amount' | 'currency'>,
  { before, productName }: { before: PlanPrice | null; productName: string },
): Promise<void> {
  const unit_amount = inSmallest(amount, currency)
  // Going back to an earlier price is another request than the one that made it.
  const key = `price-${plan}-${unit_amount}-${currency}-${before?.id ?? 'first'}`
  await askStripe(api, async (stripe) => {
    const product =
      before?.product ??
      (
        await stripe.products.create(
          { name: productName, metadata: { [planKey]: plan } },
          { idempotencyKey: `product-${key}` },
        )
      ).id
    await stripe.prices.create(
      {
        product,
        currency: currency.toLowerCase(),
        unit_amount,
        recurring: { interval: 'month' },
        lookup_key: lookupKeyOf(plan),
        transfer_lookup_key: true,
        metadata: { [planKey]: plan },
      },
      { idempotencyKey: key },
    )
  })
}
