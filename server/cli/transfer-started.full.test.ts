import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { doctypes } from '#shared/doctypes/registry.ts'
import { PlanDoctype } from '#shared/doctypes/plan.ts'
import { PlatformSettingsDoctype } from '#shared/doctypes/platform-settings.ts'
import { SiteQuotaDoctype } from '#shared/doctypes/site-quota.ts'
import { makeInstallation, type Installation } from '#tests/support/installation.ts'
import { setPlans } from '#tests/support/plans.ts'
import { exportCommand, importCommand } from './transfer.ts'
import { tableName } from '#server/documents/documents.ts'
import { systemSession } from '#server/jobs/session.ts'
import { openDataDir } from '#server/platform/config/data-dir.ts'

/** Importing into an installation that was started and never used: a start stores documents by itself. */
const settingsTable = tableName(PlatformSettingsDoctype.name)
const seededTables = [PlanDoctype, PlatformSettingsDoctype, SiteQuotaDoctype].map(({ name }) => tableName(name))

let folder: string
let archive: string
let source: Installation
let into: Installation
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'started-'))
  archive = join(folder, 'one.export')
  source = await started()
  into = await started()
  await cp(join(source.dataDir, 'keys'), join(into.dataDir, 'keys'))
})
afterEach(async () => {
  for (const one of [source, into]) await one?.end()
  if (folder) await rm(folder, { recursive: true, force: true })
})

async function started(): Promise<Installation> {
  const made = await makeInstallation()
  await openDataDir(made.dataDir)
  await start(made)
  return made
}

const start = (installation: Installation) => installation.withServices(() => Promise.resolve())
const move = async () => {
  await exportCommand([archive], source.config, source.database, () => undefined)
  await importCommand([archive], into.config, into.database, () => undefined)
}

async function rowsOf({ database }: Installation, table: string): Promise<unknown[]> {
  const { rows } = await sql<{ row: unknown }>`select to_jsonb(t) as row from ${sql.id(table)} t order by 1`.execute(
    database.db,
  )
  return rows.map(({ row }) => row)
}

async function expectSameDataAsSource(): Promise<void> {
  for (const table of seededTables)
    expect([table, await rowsOf(into, table)]).toEqual([table, await rowsOf(source, table)])
}

const plansEnabled = async () => {
  const { rows } = await sql<{ plans_enabled: number }>`select plans_enabled from ${sql.id(settingsTable)}`.execute(
    into.database.db,
  )
  return rows.map(({ plans_enabled }) => plans_enabled === 1)
}

test('the doctypes described as seeded are those a first start stores documents of', async () => {
  const filled: string[] = []
  for (const { name } of doctypes) if ((await rowsOf(into, tableName(name))).length > 0) filled.push(name)
  expect(filled).toEqual(doctypes.filter(({ seeded }) => seeded).map(({ name }) => name))
})

test('rows stored by a start are replaced by those of the archive, and stay so', async () => {
  await source.withServices(({ documents }) => setPlans(documents, systemSession(), true))
  await source.withServices(({ documents }) =>
    documents.transaction(systemSession(), async (tx) => {
      await tx.update(PlanDoctype, 'Pro', { site_limit: 77 })
      await tx.update(SiteQuotaDoctype, 'html', { disk_mb: 77 })
    }),
  )
  await move()
  await expectSameDataAsSource()
  await start(into)
  await expectSameDataAsSource()
  expect(await plansEnabled()).toEqual([true])
})
