import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import { canonicalJson } from '#shared/same-value.ts'
import type { Activity } from '#shared/doctypes/activity.ts'
import { verifyChains, type ChainReport } from './chain.ts'

let t: TestDocuments
const owner = sessionOf('owner@acme.example', 'acme')
const filters = Array.from({ length: 30 }, () => ['domain', 'like', 'x'.repeat(400)])
beforeAll(async () => {
  t = await createTestDocuments()
  await t.organization('acme')
})
afterAll(() => t?.close())

const newest = async () =>
  (await t.documents.list(owner, 'Activity', { fields: ['*'], order_by: 'creation desc', limit: 1 }))[0] as Activity &
    Record<string, unknown>
const chain = async (): Promise<ChainReport | undefined> => {
  const reports: ChainReport[] = []
  await verifyChains(t.test.database.db, (report) => reports.push(report))
  return reports.find((report) => report.chain === 'acme')
}

test('an entry keeps small values, and of large ones size and SHA-256, on both sides', async () => {
  const view = await t.documents.insert(owner, 'Saved View', { title: 'Large', reference_doctype: 'Site', filters })
  const json = canonicalJson(filters)
  const omitted = { bytes: json.length, sha256: createHash('sha256').update(json).digest('hex') }
  expect((await newest()).after).toMatchObject({ title: 'Large', reference_doctype: 'Site', filters: { omitted } })
  await t.documents.save(owner, 'Saved View', view.name, { filters: [...filters, ['domain', '=', 'a']] })
  const { before, after } = await newest()
  expect(before).toEqual({ filters: { omitted } })
  expect(after).toMatchObject({ filters: { omitted: { bytes: json.length + '["domain","=","a"],'.length } } })
  expect(JSON.stringify(after)).not.toContain('xxxx')
})

test('the hash of an omitted value is part of the chain', async () => {
  const { db } = t.test.database
  const { name } = await newest()
  await sql`alter table tab_activity disable trigger user`.execute(db)
  await sql`update tab_activity set after = jsonb_set(after, '{filters,omitted,sha256}', ${JSON.stringify('0'.repeat(64))}::jsonb)
    where name = ${name}`.execute(db)
  expect((await chain())?.problem).toContain('was changed')
})
