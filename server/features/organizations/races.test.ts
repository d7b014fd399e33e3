import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Session } from '#server/contracts/session.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import type { Visitor } from '#tests/support/accounts.ts'
import { createOrganizationFixture, type OrganizationFixture } from '#tests/support/organizations.ts'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'

let s: OrganizationFixture
let ann: Visitor
beforeEach(async () => {
  s = await createOrganizationFixture()
  ann = await s.owner('ann@example.com', 'acme')
})
afterEach(() => s.close())

const system = <T>(fn: (tx: Tx) => Promise<T>) => s.documents.transaction(s.system, fn)
const rowOf = (user: string) => system((tx) => tx.find(OrganizationMemberDoctype, [['user', '=', user]]))

/** The session and member row of a new member. */
async function joined(email: string, role: 'Organization Admin' | 'Organization Manager') {
  const session = await (await s.member('acme', email, role)).session()
  const row = await rowOf(email)
  if (!session || !row) throw new Error('not a member')
  return { email, session, row: row.name }
}

const remove = (by: Session, row: string) => s.documents.delete(by, 'Organization Member', row)
const codes = (results: PromiseSettledResult<unknown>[]) =>
  results.map((one) => (one.status === 'fulfilled' ? 'ok' : (one.reason as { code: string }).code))

test('two admins who remove each other: one of them stays', async () => {
  for (let n = 0; n < 3; n += 1) {
    const a = await joined(`a${n}@example.com`, 'Organization Admin')
    const b = await joined(`b${n}@example.com`, 'Organization Admin')
    const results = codes(await Promise.allSettled([remove(a.session, b.row), remove(b.session, a.row)]))
    expect(results.filter((one) => one === 'ok')).toHaveLength(1)
    const [removed, stays] = results[0] === 'ok' ? [b, a] : [a, b]
    expect([await rowOf(removed.email), (await rowOf(stays.email))?.name]).toEqual([null, stays.row])
  }
})

test('two concurrent removals of a member remove and log it once', async () => {
  const session = await ann.session()
  const admin = await joined('admin@example.com', 'Organization Admin')
  if (!session) throw new Error('logged out')
  for (let n = 0; n < 5; n += 1) {
    const { row } = await joined(`m${n}@example.com`, 'Organization Manager')
    const results = await Promise.allSettled([remove(session, row), remove(admin.session, row)])
    expect(codes(results).toSorted()).toEqual(['not_found', 'ok'])
    const entries = await system((tx) =>
      tx.list(ActivityDoctype, [
        ['reference_name', '=', row],
        ['action', 'like', '%.delete'],
      ]),
    )
    expect(entries).toHaveLength(1)
  }
})

test('a concurrent removal and promotion leave no row and restore none', async () => {
  const session = await ann.session()
  if (!session) throw new Error('logged out')
  for (let n = 0; n < 6; n += 1) {
    const { email, row } = await joined(`p${n}@example.com`, 'Organization Manager')
    const promote = () =>
      s.documents.save(session, 'Organization Member', row, { organization_role: 'Organization Admin' })
    const work = [promote, () => remove(session, row)]
    const results = codes(await Promise.allSettled((n % 2 === 0 ? work : work.toReversed()).map((start) => start())))
    const [promoted, removed] = n % 2 === 0 ? results : results.toReversed()
    expect(removed).toBe('ok')
    expect(['ok', 'not_found']).toContain(promoted)
    expect(await rowOf(email)).toBeNull()
  }
})
