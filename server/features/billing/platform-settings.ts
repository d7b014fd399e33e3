import { transactionLock } from '#server/platform/database/transaction-lock.ts'
import { controller, type Controller } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { PlatformSettingsDoctype, platformSettingsName } from '#shared/doctypes/platform-settings.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { BillingDeps } from './deps.ts'

/** Whether organizations have plans with limits. If not, nothing is limited, whatever plan or granted limit is stored. */
export async function hasPlans(tx: Tx): Promise<boolean> {
  const settings = await tx.get(PlatformSettingsDoctype, platformSettingsName)
  return settings?.plans_enabled === 1
}

/** Plans cannot be turned off while a payment provider is set. */
export function platformSettingsController({ config }: Pick<BillingDeps, 'config'>): Controller {
  return controller(PlatformSettingsDoctype, {
    validate(doc) {
      if (doc.plans_enabled === 1 || config.stripe.secretKey === null) return Promise.resolve()
      throw new AppError('invalid', msg`Plans stay on while a payment provider is set.`, {
        field: 'plans_enabled',
        nextAction: msg`Remove STRIPE_SECRET_KEY and restart first.`,
      })
    },
  })
}

/** Stores missing settings, and turns plans on if a payment provider is set. A new installation starts without plans. */
export async function seedPlatformSettings(tx: Tx, { config }: Pick<BillingDeps, 'config'>): Promise<void> {
  await transactionLock(tx, 'platform-settings')
  const isPaid = config.stripe.secretKey !== null
  const stored = await tx.get(PlatformSettingsDoctype, platformSettingsName)
  if (!stored) {
    const values = { settings_name: platformSettingsName, plans_enabled: isPaid ? 1 : 0 } as const
    await tx.insert(PlatformSettingsDoctype, values, { activity: false })
  } else if (isPaid && stored.plans_enabled !== 1)
    await tx.update(PlatformSettingsDoctype, stored.name, { plans_enabled: 1 })
}
