import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { sweepTombstones } from './tombstones.ts'
import { SavedViewDoctype } from '#shared/doctypes/saved-view.ts'

let t: TestDocuments
beforeAll(async () => {
  t = await createTestDocuments()
  await t.organization('acme')
  await t.organization('globex')
})
afterAll(() => t.close())

const db = () => t.test.database.db

/** Creates and deletes a saved view of the organization; `unnoticed`: without activity entries. */
async function endedView(organization: string, isSilent = false): Promise<string> {
  const owner = sessionOf(`owner@${organization}.example`, organization)
  return t.documents.transaction(owner, async (tx) => {
    const options = { activity: !isSilent }
    const { name } = await tx.insert(SavedViewDoctype, { organization, title: 'v', reference_doctype: 'Site' }, options)
    await tx.delete(SavedViewDoctype, name, options)
    return name
  })
}

async function remembered(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from easydash_ended_document order by name`.execute(db())
  return rows.map(({ name }) => name)
}

test('tombstones are deleted once no entry names them, and with their organization', async () => {
  const kept = await endedView('acme')
  await endedView('acme', true)
  const ended = await endedView('globex')
  expect(await remembered()).toHaveLength(3)
  expect(await sweepTombstones(db(), doctypes)).toBe(1)
  expect(await remembered()).toEqual([kept, ended].toSorted())
  await sql`delete from tab_organization where name = 'globex'`.execute(db())
  expect(await sweepTombstones(db(), doctypes)).toBe(1)
  expect(await remembered()).toEqual([kept])
  expect(await sweepTombstones(db(), doctypes)).toBe(0)
})
