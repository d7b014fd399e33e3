import type { Tx } from '#server/contracts/transaction.ts'
import { BackupScheduleDoctype, type BackupSchedule } from '#shared/doctypes/backup-schedule.ts'
import type { Site } from '#shared/doctypes/site.ts'

/** The schedule of a site: its own, or that of its organization; null if it has none. */
export async function scheduleOf(tx: Tx, site: Pick<Site, 'name' | 'organization'>): Promise<BackupSchedule | null> {
  const own = await tx.find(BackupScheduleDoctype, [['site', '=', site.name]])
  if (own) return own
  return tx.find(BackupScheduleDoctype, [
    ['organization', '=', site.organization],
    ['site', 'is', 'not set'],
  ])
}
