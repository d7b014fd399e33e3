/** How PostgreSQL reads the rows of lists, counts and searches when an organization, or all of them together, have many. */
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'

let t: TestDocuments
const owner = sessionOf('owner@acme.example', 'acme')
const member = sessionOf('member@acme.example', 'acme')
/** Most of the sites are in one organization, the rest in many small ones. */
const [ofAcme, organizations, ofEach] = [10_000, 100, 50]

beforeAll(async () => {
  t = await createTestDocuments()
  await t.organization('acme')
  await t.member('acme', 'member@acme.example', 'Organization User')
  const add = async (count: number, organization: string) => {
    for (let from = 1; from <= count; from += 2500)
      await sql`insert into tab_site (name, owner, creation, modified, modified_by, organization, domain, title, usr_alias_domains,
        status, server, site_type, php_version, wordpress_version, engine_host, health)
      select substr(md5(${organization} || n::text), 1, 10), case when n = 17 then 'member@acme.example' else 'nobody@acme.example' end, now() - n * interval '1 minute',
        now() - (n % 977) * interval '1 hour', 'owner@acme.example',
        case when ${organization} = 'acme' then 'acme' else ${organization} || n % ${organizations} end,
        ${organization} || '-site-' || n || '.example', 'Bäckerei ' || n, 'www.alias-' || n || '.example',
        (array['Live','Live','Live','Live','Archived','Failed','Suspended'])[1 + n % 7], 'one',
        (array['wp','wp','php','html'])[1 + n % 4], (array['8.2','8.3','8.4','8.5'])[1 + n % 4], '6.' || n % 9, 'elsewhere', 'Up'
      from generate_series(${from}::int, ${Math.min(count, from + 2499)}::int) n`.execute(t.test.database.db)
  }
  await add(ofAcme, 'acme')
  await add(organizations * ofEach, 'other')
  await t.test.database.pool.query('vacuum analyze tab_site')
}, 60_000)
afterAll(() => t?.close())

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: PlanNode[]
}

/** The nodes of the plans by which PostgreSQL runs the statements on sites that the work sends. */
async function plansOf(work: () => Promise<unknown>): Promise<PlanNode[]> {
  const spied = vi.spyOn(pg.Client.prototype, 'query')
  let sent: { text: string; values: unknown[] }[]
  try {
    await work()
    sent = spied.mock.calls.flatMap(([query]: unknown[]) => {
      const { text, values } = query as { text: string; values: unknown[] }
      return text.includes('from "tab_site" t') ? [{ text, values }] : []
    })
  } finally {
    spied.mockRestore()
  }
  expect(sent).not.toEqual([])
  const nodes: PlanNode[] = []
  const add = (node: PlanNode): void => {
    nodes.push(node)
    node.Plans?.forEach(add)
  }
  for (const { text, values } of sent) {
    const { rows } = await t.test.database.pool.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (analyze, format json) ${text}`,
      values,
    )
    add(rows[0]!['QUERY PLAN'][0].Plan)
  }
  return nodes
}

/** Rows of sites that were looked at, found or not. */
const rowsRead = (nodes: PlanNode[]) =>
  nodes
    .filter((node) => node['Relation Name'] === 'tab_site')
    .map((node) => {
      const passed = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)
      return (passed + (node['Rows Removed by Index Recheck'] ?? 0)) * node['Actual Loops']
    })
    .reduce((sum, one) => sum + one, 0)

const typesOf = (nodes: PlanNode[]) =>
  nodes.map((node) => (node['Relation Name'] === 'tab_site' ? `${node['Node Type']} of sites` : node['Node Type']))

const list = (session: typeof owner, query: object) => () =>
  t.documents.list(session, 'Site', { fields: ['name', 'domain', 'status', 'creation'], limit: 20, ...query })
const shown = [['status', '!=', 'Archived']]

describe('a page of a list reads about as many rows as it shows', () => {
  test.each([
    'creation desc',
    'attention desc, creation desc',
    'modified desc',
    'domain asc',
    'status asc',
    'php_version desc',
    'wordpress_version asc',
    'server asc',
  ])('in the order %s', async (order_by) => {
    const nodes = await plansOf(list(owner, { filters: shown, order_by }))
    expect(typesOf(nodes)).not.toContain('Seq Scan of sites')
    // Archived sites come first in the order of states.
    expect(rowsRead(nodes)).toBeLessThan(order_by === 'status asc' ? ofAcme / 5 : 100)
  })
})

describe('what is searched is found by its index', () => {
  test.each([
    ['domain', '%site-1234%'],
    ['title', '%backerei 1234%'],
    ['usr_alias_domains', '%ALIAS-1234%'],
  ])('%s like %s', async (field, pattern) => {
    const or_filters = [
      ['domain', 'like', pattern],
      ['title', 'like', pattern],
      ['usr_alias_domains', 'like', pattern],
    ]
    const query = { filters: shown, or_filters, order_by: 'creation desc' }
    expect(await list(owner, query)()).not.toEqual([])
    const nodes = await plansOf(list(owner, query))
    expect(typesOf(nodes)).not.toContain('Seq Scan of sites')
    expect(rowsRead(nodes)).toBeLessThan(200)
    expect(await t.documents.count(owner, 'Site', { filters: [[field, 'like', pattern]] })).toBe(1)
  })

  test('a rare text in suggestions', async () => {
    const search = () => t.documents.search(owner, 'Site', { txt: 'site-9876' })
    expect(await search()).toHaveLength(1)
    const nodes = await plansOf(search)
    expect(typesOf(nodes)).not.toContain('Seq Scan of sites')
    expect(rowsRead(nodes)).toBeLessThan(200)
  })
})

test('a count with a limit reads no further', async () => {
  const count = () => t.documents.count(owner, 'Site', { filters: shown, limit: 1001 })
  expect(await count()).toBe(1001)
  const nodes = await plansOf(count)
  // Without an index where most rows match.
  expect(rowsRead(nodes)).toBeLessThan(1300)
  expect(await t.documents.count(owner, 'Site', { filters: [] })).toBe(ofAcme)
})

test('a count with a limit counts what one without does, unset values too', async () => {
  const { pool } = t.test.database
  const { rows } = await pool.query<{ name: string }>(
    "update tab_site set status = null where name in (select name from tab_site where organization = 'acme' and status = 'Live' limit 3) returning name",
  )
  for (const status of ['Archived', 'Live', 'Suspended', 'Nothing', ''])
    for (const more of [[], [['php_version', '!=', '8.3']]]) {
      const filters = [['status', '!=', status], ...more]
      const all = await t.documents.count(owner, 'Site', { filters })
      expect(await t.documents.count(owner, 'Site', { filters, limit: ofAcme * 2 })).toBe(all)
      expect(await t.documents.count(owner, 'Site', { filters, limit: 7 })).toBe(7)
    }
  await pool.query("update tab_site set status = 'Live' where name = any($1)", [rows.map(({ name }) => name)])
})

test('a page of a small organization reads nothing of the others', async () => {
  await t.organization('other7')
  const small = sessionOf('owner@other7.example', 'other7')
  const nodes = await plansOf(list(small, { filters: shown, order_by: 'modified desc' }))
  expect(typesOf(nodes)).not.toContain('Seq Scan of sites')
  expect(rowsRead(nodes)).toBeLessThanOrEqual(ofEach)
})

test('a page of a member who sees a few sites reads those', async () => {
  const nodes = await plansOf(list(member, { filters: [], order_by: 'creation desc' }))
  expect(await list(member, { filters: [] })()).toHaveLength(1)
  expect(typesOf(nodes)).not.toContain('Seq Scan of sites')
})
