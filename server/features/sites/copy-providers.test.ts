import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestSites, type TestSites } from '#tests/support/sites.ts'
import { copyProviders } from './copy-providers.ts'

let t: TestSites
beforeAll(async () => {
  t = await openTestSites()
})
afterAll(() => t?.close())

test('a site carries the provider of its server, also one made before sites did', async () => {
  const { documents } = t.running
  const made = await t.insert('fresh')
  expect((await t.siteNow(made.name))?.cloud_provider).toBe('Custom')
  const system = { ...t.owner, user: 'owner@acme.example' }
  await documents.transaction(system, async (tx) => {
    await sql`update tab_site set cloud_provider = null`.execute(tx.trx)
    await copyProviders(tx.trx)
    // A second run changes nothing.
    await copyProviders(tx.trx)
  })
  expect((await t.siteNow(made.name))?.cloud_provider).toBe('Custom')
  const counted = await documents.list(t.owner, 'Site', {
    fields: ['cloud_provider', 'count(name) as n'],
    group_by: 'cloud_provider',
  })
  expect(counted).toEqual([{ cloud_provider: 'Custom', n: 1 }])
})
