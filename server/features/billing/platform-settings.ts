import { transactionLock } from '#server/platform/database/transaction-lock.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { PlatformSettingsDoctype, platformSettingsName } from '#shared/doctypes/platform-settings.ts'

/** Whether organizations have plans with limits. If not, nothing is limited, whatever plan or granted limit is stored. */
export async function hasPlans(tx: Tx): Promise<boolean> {
  const settings = await tx.get(PlatformSettingsDoctype, platformSettingsName)
  return settings?.plans_enabled === 1
}

/** Stores missing settings. A new installation starts without plans. */
export async function seedPlatformSettings(tx: Tx): Promise<void> {
  await transactionLock(tx, 'platform-settings')
  if (await tx.get(PlatformSettingsDoctype, platformSettingsName)) return
  await tx.insert(
    PlatformSettingsDoctype,
    { settings_name: platformSettingsName, plans_enabled: 0 },
    { activity: false },
  )
}
