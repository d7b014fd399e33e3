import { doctypes } from '#shared/doctypes/registry.ts'
import { documentTables } from '#server/documents/documents.ts'
import { siteTables } from '#server/features/sites/site-tables.ts'
import { paymentTables } from '#server/features/billing/payments/payment-tables.ts'
import { installationKeyTable } from './features/connections/installation-key.ts'
import { metricsTables } from './features/metrics/metrics-tables.ts'
import { notificationTables } from './features/notifications/notification-cursor.ts'
import { uploadTable } from './features/uploads/upload-table.ts'
import { numberNamesakes } from './features/servers/new-server.ts'
import { terminalTables } from './features/servers/terminals/terminal-table.ts'
import { accountTables } from './features/accounts/tables.ts'
import { jobTables } from './jobs/tables.ts'
import type { CreateTables } from '#server/contracts/feature.ts'
import type { Trx } from '#server/contracts/transaction.ts'
import type { Database } from '#server/platform/database/database.ts'
import type { Log } from '#server/platform/log/log.ts'
import { runMigrations } from '#server/platform/database/migrations.ts'

/** Incremented with each release that changes the database; an older release refuses a newer number. */
export const schemaVersion = 1

/** Migrates the database to this release. Safe to run in several processes at once. */
export async function migrate(database: Database, log?: Log): Promise<void> {
  await runMigrations(database, { schemaVersion, ...(log ? { log } : {}), additive: createTables })
}

/**
 * The tables of all features that have some besides those of doctypes. A list of its own, because the database is migrated
 * before features are created; `openServices` compares it with what they declare.
 */
export const featureTables: readonly CreateTables[] = [
  accountTables,
  jobTables,
  siteTables,
  terminalTables,
  metricsTables,
  uploadTable,
  installationKeyTable,
  paymentTables,
  notificationTables,
]

/** Creates what is missing of this release's tables and columns. Tables of features can refer to those of doctypes. */
export async function createTables(trx: Trx): Promise<void> {
  await numberNamesakes(trx)
  await documentTables(trx, doctypes)
  for (const create of featureTables) await create(trx)
}
