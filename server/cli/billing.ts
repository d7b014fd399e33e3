import { parseArgs } from 'node:util'
import { makePrices, priceChanges, type PriceChange } from '#server/features/billing/payments/sync-prices.ts'
import type { Documents } from '#server/contracts/documents.ts'
import type { Config } from '#server/platform/config/config.ts'
import { StartupError } from '#server/platform/processes/startup-error.ts'
import { stripeOf } from '#server/stripe-of.ts'

/** Usage of the command. */
export const billingSyncUsage = 'billing sync [--apply]'

/** Compares the prices of plans with those at the payment provider; with `--apply`, makes what is missing there. */
export async function billingSync(
  args: string[],
  config: Config,
  documents: Pick<Documents, 'transaction'>,
  print: (line: string) => void,
): Promise<void> {
  const { values } = parseArgs({ args, options: { apply: { type: 'boolean', default: false } } })
  const api = stripeOf(config)
  if (api === null)
    throw new StartupError(
      'No payment provider is set.',
      'Set STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY and STRIPE_WEBHOOK_SECRET first (docs/billing.md).',
    )
  const changes = await priceChanges(documents, api)
  for (const change of changes) print(line(change))
  if (changes.length === 0) {
    print('Every plan with a price has it at Stripe.')
    return
  }
  if (!values.apply) {
    print(
      `Nothing was changed. To make ${changes.length === 1 ? 'it' : 'them'}: npm run easydash -- billing sync --apply`,
    )
    return
  }
  await makePrices(api, changes, config.productName)
  print('Done. Who pays an older price goes on paying that until they change their plan.')
}

function line({ plan, amount, currency, before }: PriceChange): string {
  const cost = `${amount.toFixed(2)} ${currency} per month`
  return before === null
    ? `${plan}: ${cost}, not at Stripe yet`
    : `${plan}: ${cost}, at Stripe ${before.amount.toFixed(2)} ${before.currency}`
}
