import { controller, type Controller } from '#server/contracts/controller.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { isPaid, type BillingDeps } from './deps.ts'
import { transactionLock } from '#server/platform/database/transaction-lock.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { PlatformSettingsDoctype, platformSettingsName } from '#shared/doctypes/platform-settings.ts'

/** Whether organizations have plans with limits. If not, nothing is limited, whatever plan or granted limit is stored. */
export async function hasPlans(tx: Tx): Promise<boolean> {
  const settings = await tx.get(PlatformSettingsDoctype, platformSettingsName)
  return settings?.plans_enabled === 1
}

/** Stores missing settings. A new installation starts without plans, unless they are paid for. */
export async function seedPlatformSettings(tx: Tx, isPaidFor = false): Promise<void> {
  await transactionLock(tx, 'platform-settings')
  const known = await tx.get(PlatformSettingsDoctype, platformSettingsName)
  const plans_enabled = isPaidFor ? 1 : 0
  if (!known)
    await tx.insert(
      PlatformSettingsDoctype,
      { settings_name: platformSettingsName, plans_enabled },
      { activity: false },
    )
  else if (isPaidFor && known.plans_enabled === 0)
    await tx.update(PlatformSettingsDoctype, platformSettingsName, { plans_enabled })
}

/** People pay for limits, so these can't be switched off while they do. */
export const settingsController = (deps: BillingDeps): Controller =>
  controller(PlatformSettingsDoctype, {
    async validate(doc) {
      if (!isPaid(deps) || doc.plans_enabled === 1) return
      throw new AppError('invalid', msg`Plans are paid for on this installation.`, {
        field: 'plans_enabled',
        nextAction: msg`To end that, remove the settings of Stripe and start again.`,
      })
    },
  })
