import type { Documents } from '#server/contracts/documents.ts'
import type { Session } from '#server/contracts/session.ts'
import { PlatformSettingsDoctype, platformSettingsName } from '#shared/doctypes/platform-settings.ts'

/** Enables or disables plans like the platform admin does; a new installation has them disabled. */
export async function setPlans(documents: Documents, system: Session, enabled: boolean): Promise<void> {
  await documents.transaction(system, (tx) =>
    tx.update(PlatformSettingsDoctype, platformSettingsName, { plans_enabled: enabled ? 1 : 0 }),
  )
}
