import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { siteUrgency } from '#shared/rules/site-attention.ts'
import { openTestSites, type TestSites } from '#tests/support/sites.ts'
import { addAttention, raiseAttention } from './add-attention.ts'

let t: TestSites
beforeAll(async () => {
  t = await openTestSites()
})
afterAll(() => t?.close())

const states = [
  { status: 'Live', health: 'Up', wordpress_checksum: 'Verified' },
  { status: 'Live', health: 'Down', wordpress_checksum: 'Modified' },
  { status: 'Failed', health: 'Not Checked', wordpress_checksum: 'Not Checked' },
  { status: 'Live', health: 'Asleep', wordpress_checksum: 'Modified' },
  { status: 'Suspended', health: 'Up', wordpress_checksum: 'Verified' },
  { status: 'Archived', health: 'Down', wordpress_checksum: 'Modified' },
]

test('sites of an earlier release get the urgency that a write gives them', async () => {
  const { name } = await t.insert('early')
  for (const state of states) {
    await t.running.documents.transaction(t.owner, async (tx) => {
      const { status, health, wordpress_checksum } = state
      await sql`update tab_site set status = ${status}, health = ${health}, wordpress_checksum = ${wordpress_checksum}, attention = 9
        where name = ${name}`.execute(tx.trx)
      await addAttention(tx.trx)
      await raiseAttention(tx.trx)
    })
    expect((await t.siteNow(name))?.attention).toBe(siteUrgency(state))
  }
  expect(states.map(siteUrgency)).toEqual([0, 5, 4, 3, 2, 0])
  expect(siteUrgency({ status: 'Live', health: 'Up', wordpress_health: 'Needs Attention' })).toBe(1)
})
