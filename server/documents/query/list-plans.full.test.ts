/** How PostgreSQL reads the rows of lists, counts and searches when an organization, or all of them together, have many. */
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { siteAttention } from '#shared/rules/site-attention.ts'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import { readsOf } from '#tests/support/query-plans.ts'

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
  await t.test.database.pool.query(`insert into easydash_personal ("user", doctype, name, field)
    select 'owner@acme.example', 'Site', name, 'favorite' from tab_site where domain in ('acme-site-1.example', 'acme-site-2.example')`)
  await t.test.database.pool.query('vacuum analyze tab_site')
})
afterAll(() => t?.close())

const sitesRead = (work: () => Promise<unknown>) => readsOf(t, SiteDoctype, work)

const list = (session: typeof owner, query: object) => () =>
  t.documents.list(session, 'Site', { fields: ['name', 'domain', 'status', 'creation'], limit: 20, ...query })
const shown = [['status', '!=', 'Archived']]

test('a page whose most urgent sites come first reads about as many rows as it shows', async () => {
  const reads = await sitesRead(list(owner, { filters: shown, order_by: 'attention desc, creation desc' }))
  expect(reads.scans).not.toContain('Seq Scan')
  expect(reads.rows).toBeLessThan(100)
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
    const reads = await sitesRead(list(owner, query))
    expect(reads.scans).not.toContain('Seq Scan')
    expect(reads.rows).toBeLessThan(200)
    expect(await t.documents.count(owner, 'Site', { filters: [[field, 'like', pattern]] })).toBe(1)
  })

  test('a rare text in suggestions', async () => {
    const search = () => t.documents.search(owner, 'Site', { txt: 'site-9876' })
    expect(await search()).toHaveLength(1)
    const reads = await sitesRead(search)
    expect(reads.scans).not.toContain('Seq Scan')
    expect(reads.rows).toBeLessThan(200)
  })
})

describe('a count with a limit reads little further', () => {
  test.each<[string, object, number]>([
    ['shown', { filters: shown }, 1001],
    ['all', {}, 1001],
    ['live', { filters: [['status', '=', 'Live']] }, 1001],
    ['archived', { filters: [['status', '=', 'Archived']] }, 1001],
    ['changing', { filters: [['status', 'in', ['Updating', 'Restoring']]] }, 0],
    [
      'up',
      {
        filters: [
          ['status', '=', 'Live'],
          ['health', 'in', ['Up', 'Slow', 'Asleep']],
        ],
      },
      1001,
    ],
    [
      'down',
      {
        filters: [
          ['status', '=', 'Live'],
          ['health', '=', 'Down'],
        ],
      },
      0,
    ],
    ['of one server', { filters: [...shown, ['server', '=', 'one']] }, 1001],
    ['favorites', { filters: [...shown, ['favorite', '=', 1]] }, 2],
    ['urgent', { filters: shown, or_filters: siteAttention }, 1001],
  ])('of sites: %s', async (_, query, expected) => {
    const count = () => t.documents.count(owner, 'Site', { ...query, limit: 1001 })
    expect(await count()).toBe(expected)
    const reads = await sitesRead(count)
    expect(reads.scans).not.toContain('Seq Scan')
    // Conditions that no index has are checked on the rows that another one found.
    expect(reads.rows).toBeLessThan(expected < 1001 ? 20 : 4000)
  })

  test('and one without counts all', async () => {
    expect(await t.documents.count(owner, 'Site', { filters: [] })).toBe(ofAcme)
  })
})

test('favorites are what was marked, however the filter is written', async () => {
  const count = async (operator: string, value: unknown) =>
    await t.documents.count(owner, 'Site', { filters: [['favorite', operator, value]] })
  expect(await count('=', 1)).toBe(2)
  expect(await count('=', '1')).toBe(2)
  expect(await count('!=', 0)).toBe(2)
  expect(await count('in', [1])).toBe(2)
  expect(await count('=', 0)).toBe(ofAcme - 2)
  expect(await count('!=', 1)).toBe(ofAcme - 2)
  expect(await t.documents.count(member, 'Site', { filters: [['favorite', '=', 1]] })).toBe(0)
})

test('a count with a limit counts what one without does, unset values too', async () => {
  const { pool } = t.test.database
  const { rows } = await pool.query<{ name: string }>(
    "update tab_site set php_version = null where name in (select name from tab_site where organization = 'acme' and php_version = '8.4' limit 3) returning name",
  )
  for (const [field, values] of [
    ['status', ['Archived', 'Live', 'Suspended', 'Nothing', '']],
    ['php_version', ['8.3', '8.4', '7.0', '']],
  ] as const)
    for (const value of values)
      for (const more of [[], [['site_type', '!=', 'html']]]) {
        const filters = [[field, '!=', value], ...more]
        const all = await t.documents.count(owner, 'Site', { filters })
        expect(await t.documents.count(owner, 'Site', { filters, limit: ofAcme * 2 })).toBe(all)
        expect(await t.documents.count(owner, 'Site', { filters, limit: 7 })).toBe(7)
      }
  await pool.query("update tab_site set php_version = '8.4' where name = any($1)", [rows.map(({ name }) => name)])
})

test('a page of a small organization reads nothing of the others', async () => {
  await t.organization('other7')
  const small = sessionOf('owner@other7.example', 'other7')
  const reads = await sitesRead(list(small, { filters: shown, order_by: 'modified desc' }))
  expect(reads.scans).not.toContain('Seq Scan')
  expect(reads.rows).toBeLessThanOrEqual(ofEach)
})

test('a page of a member who sees a few sites reads those', async () => {
  const reads = await sitesRead(list(member, { filters: [], order_by: 'creation desc' }))
  expect(await list(member, { filters: [] })()).toHaveLength(1)
  expect(reads.scans).not.toContain('Seq Scan')
})

test.each([0, 3, 4000])('a tab that reads the ends of %i own jobs reads no others', async (own) => {
  const { pool } = t.test.database
  await pool.query('truncate tab_job')
  await pool.query(
    `insert into tab_job (name, owner, creation, modified, modified_by, organization, job_type, status, ended)
      select 'job' || n, case when n <= $1 then $2 else 'nobody@acme.example' end, now(), now(), $2, 'acme', 'site.create',
        case when n % 10 = 0 then 'Running' else 'Done' end, case when n % 10 = 0 then null else now() - n * interval '1 minute' end
      from generate_series(1, 8000) n`,
    [own, owner.user],
  )
  await pool.query('vacuum analyze tab_job')
  const filters = [
    ['owner', '=', owner.user],
    ['ended', 'is', 'set'],
  ]
  const ends = () =>
    t.documents.list(owner, 'Job', { fields: ['name', 'ended'], filters, order_by: 'ended desc', limit: 50 })
  const reads = await readsOf(t, JobDoctype, ends)
  expect(reads.scans).not.toContain('Seq Scan')
  expect(reads.rows).toBeLessThanOrEqual(50)
  expect(await ends()).toHaveLength(Math.min(own, 50))
})
