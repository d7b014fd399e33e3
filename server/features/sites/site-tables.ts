import type { Trx } from '#server/contracts/transaction.ts'
import { siteDomainTable } from './domains/domain-table.ts'
import { consoleTable } from './database/console-table.ts'
import { bulkTable } from './bulk/bulk-table.ts'
import { uptimeTables } from './monitoring/uptime-tables.ts'
import { pushPlanTable } from './staging/plan-table.ts'
import { dueBackupTable } from './backups/due-backups.ts'
import { expectedReportTable } from './backups/expected-reports.ts'
import { backupThumbnailTable } from './backups/backup-thumbnail.ts'
import { thumbnailTable } from './thumbnail-table.ts'
import { stagedPackageTable } from './wordpress/package-table.ts'
import { wordpressFactsTable } from './wordpress/facts-table.ts'
import { wordpressUserTable } from './wordpress-users/user-table.ts'

/** The tables of the sites feature besides those of doctypes. */
export async function siteTables(trx: Trx): Promise<void> {
  await thumbnailTable(trx)
  await backupThumbnailTable(trx)
  await wordpressUserTable(trx)
  await wordpressFactsTable(trx)
  await stagedPackageTable(trx)
  await uptimeTables(trx)
  await siteDomainTable(trx)
  await bulkTable(trx)
  await consoleTable(trx)
  await pushPlanTable(trx)
  await expectedReportTable(trx)
  await dueBackupTable(trx)
}
