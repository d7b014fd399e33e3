import { doctypes } from '#shared/doctypes/registry.ts'
import { documentTables } from '#server/documents/documents.ts'
import { addAttention, raiseAttention } from './features/sites/add-attention.ts'
import { copyProviders } from './features/sites/copy-providers.ts'
import { removeUnsealedRuns } from './features/sites/database/console-table.ts'
import { renameSentInvitations } from './features/organizations/sent-invitations.ts'
import { siteTables } from '#server/features/sites/site-tables.ts'
import { installationKeyTable } from './features/connections/installation-key.ts'
import { uploadTable } from './features/uploads/upload-table.ts'
import { markTwoFactor } from './features/accounts/sign-in/mark-two-factor.ts'
import { accountTables } from './features/accounts/tables.ts'
import { renameServerColumn } from './jobs/rename-server-column.ts'
import { jobTables } from './jobs/tables.ts'
import type { CreateTables } from '#server/contracts/feature.ts'
import type { Trx } from '#server/contracts/transaction.ts'
import type { Database } from '#server/platform/database/database.ts'
import type { Log } from '#server/platform/log/log.ts'
import { renameMessageColumns } from '#server/platform/database/message-columns.ts'
import { runMigrations, type Migration } from '#server/platform/database/migrations.ts'

/** Incremented with each release that changes the database; an older release refuses a newer number. */
export const schemaVersion = 1

/** Handwritten migrations in order: what is removed or moved. What a doctype merely adds needs none. */
const written: readonly Migration[] = [
  { id: '0001-provider-of-sites', run: copyProviders },
  { id: '0002-message-columns', run: renameMessageColumns },
  { id: '0003-server-of-job-runs', run: renameServerColumn },
  { id: '0004-attention-of-sites', run: addAttention },
  { id: '0005-two-factor-of-accounts', run: markTwoFactor },
  { id: '0006-attention-of-wordpress', run: raiseAttention },
  { id: '0010-console-code', run: removeUnsealedRuns },
  { id: '0011-sent-invitations', run: renameSentInvitations },
]

/** Ids of this release's handwritten migrations, which a database of this release has all applied. */
export const releaseMigrations: readonly string[] = written.map(({ id }) => id)

/** Migrates the database to this release. Safe to run in several processes at once. */
export async function migrate(database: Database, log?: Log): Promise<void> {
  await runMigrations(database, {
    written,
    schemaVersion,
    ...(log ? { log } : {}),
    additive: createTables,
  })
}

/**
 * The tables of all features that have some besides those of doctypes. A list of its own, because the database is migrated
 * before features are created; `openServices` compares it with what they declare.
 */
export const featureTables: readonly CreateTables[] = [
  accountTables,
  jobTables,
  siteTables,
  uploadTable,
  installationKeyTable,
]

/** Creates what is missing of this release's tables and columns. Tables of features can refer to those of doctypes. */
export async function createTables(trx: Trx): Promise<void> {
  await documentTables(trx, doctypes)
  for (const create of featureTables) await create(trx)
}
