import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { emptyDoc, insertRow } from '#server/documents/store/rows.ts'
import { migrate } from '#server/tables.ts'
import type { Doctype } from '#shared/doctype.ts'
import { FileDoctype } from '#shared/doctypes/file.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { createProductDatabase, type TestDatabase } from '#tests/support/database.ts'
import { finishInterruptedImport, recordImport } from './unfinished-import.ts'

let own: TestDatabase
let dataDir: string
beforeAll(async () => {
  own = await createProductDatabase()
})
afterAll(() => own?.drop())
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'unfinished-'))
  for (const folder of ['files/0a', 'files/0b', 'local/sites/known00001', 'local/sites/other00001'])
    await mkdir(join(dataDir, folder), { recursive: true })
  await writeFile(join(dataDir, 'files/0a', `${'0a'.repeat(20)}.txt`), 'x')
  return () => rm(dataDir, { recursive: true, force: true })
})

const left = async () => [await readdir(join(dataDir, 'files')), await readdir(join(dataDir, 'local/sites'))]

test('files of an import that was cut off go, also where the database has no tables', async () => {
  await recordImport(dataDir, 'one')
  expect(await finishInterruptedImport(dataDir, own.database.db)).toBe(true)
  expect(await left()).toEqual([[], []])
})

test('a backup that was put back over it stays', async () => {
  await migrate(own.database)
  const { db } = own.database
  const now = '2026-01-02 03:04:05.000000'
  const accessContext = { owner: 'a', modified_by: 'a', creation: now, modified: now, organization: 'acme' }
  const row = (type: Doctype, values: object) =>
    insertRow(db, type, { ...emptyDoc(type), ...accessContext, ...values } as never, {})
  await row(SiteDoctype, { name: 'known00001', domain: 'known', site_type: 'html', status: 'Live' })
  await row(FileDoctype, { name: 'file000001', file_name: 'a.txt', stored_name: `${'0a'.repeat(20)}.txt` })
  await recordImport(dataDir, 'two')
  expect(await finishInterruptedImport(dataDir, db)).toBe(true)
  expect(await left()).toEqual([['0a'], ['known00001']])
  expect(await readdir(dataDir)).not.toContain('import.json')
})
