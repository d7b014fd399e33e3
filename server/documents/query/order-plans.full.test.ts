/** Every order that the lists on the screen offer is read from an index, however many rows an organization has. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Doctype } from '#shared/doctype.ts'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { sortableFields } from '#shared/rules/sortable-fields.ts'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import { addRows, readsOf } from '#tests/support/query-plans.ts'

const types: readonly Doctype[] = [SiteDoctype, ServerDoctype, JobDoctype, ActivityDoctype, OrganizationMemberDoctype]
const owner = sessionOf('owner@acme.example', 'acme')
const member = sessionOf('member@acme.example', 'acme')
const [ofAcme, ofOthers] = [8000, 4000]
let t: TestDocuments

beforeAll(async () => {
  t = await createTestDocuments()
  await t.organization('acme')
  await t.member('acme', member.user ?? '', 'Organization User')
  for (const type of types) {
    await addRows(t, type, { organization: 'acme', user: member.user ?? '', count: ofAcme })
    await addRows(t, type, { organization: 'others', user: 'other@others.example', count: ofOthers })
  }
  await t.test.database.pool.query('vacuum analyze')
})
afterAll(() => t?.close())

const pageOf = (type: Doctype, session: typeof owner, query: object) => () =>
  t.documents.list(session, type.name, { fields: ['name', 'creation'], limit: 20, ...query })

const orders = types.flatMap((type) =>
  sortableFields(type).flatMap((field) => (['asc', 'desc'] as const).map((way) => ({ type, field, way }))),
)

test.each(orders)('$type.name by $field $way', async ({ type, field, way }) => {
  const filters = type.list?.filters ?? []
  const page = pageOf(type, owner, { filters, order_by: `${field} ${way}` })
  expect(await page()).toHaveLength(20)
  const reads = await readsOf(t, type, page)
  expect(reads.scans).not.toContain('Seq Scan')
  // Rows that the default filter excludes come first in one of the orders of its field.
  expect(reads.rows).toBeLessThan(filters.some(([name]) => name === field) ? ofAcme / 3 : 100)
})

describe('jobs', () => {
  test('of a member are found by their owner', async () => {
    const page = pageOf(JobDoctype, member, {})
    expect(await page()).toHaveLength(20)
    const reads = await readsOf(t, JobDoctype, page)
    expect(reads.scans).not.toContain('Seq Scan')
    expect(reads.rows).toBeLessThan(100)
  })

  test('that ended last are found without reading the others', async () => {
    const filters = [['ended', 'is', 'set']]
    const reads = await readsOf(t, JobDoctype, pageOf(JobDoctype, owner, { filters, order_by: 'ended desc', limit: 5 }))
    expect(reads.scans).not.toContain('Seq Scan')
    expect(reads.rows).toBeLessThan(100)
  })
})

test.each(types)('a count of $name with a limit reads no further', async (type) => {
  const count = () => t.documents.count(owner, type.name, { filters: type.list?.filters ?? [], limit: 1001 })
  expect(await count()).toBe(1001)
  const reads = await readsOf(t, type, count)
  expect(reads.scans).not.toContain('Seq Scan')
  expect(reads.rows).toBeLessThan(1300)
})
