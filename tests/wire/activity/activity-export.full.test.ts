import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { boot, type Booted } from '../booted.ts'
import type { Browser } from '../browser.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'

let booted: Booted
let owner: Browser
let manager: Browser
let member: Browser
let stranger: Browser
let site: string
const many = 1203

beforeAll(async () => {
  booted = await boot()
  await booted.organization('acme', {
    'manager@acme.example': 'Organization Manager',
    'member@acme.example': 'Organization User',
  })
  await booted.organization('globex')
  site = await booted.documents.transaction({ ...booted.system, user: 'owner@acme.example' }, async (tx) => {
    const server = await tx.insert(ServerDoctype, {
      organization: 'acme',
      hostname: 'one.acme.test',
      status: 'Healthy',
    })
    const values = { organization: 'acme', server: server.name, domain: 'mine.localhost', site_type: 'html' }
    const { name } = await tx.insert('Site', values, { owner: 'member@acme.example' })
    for (let n = 0; n < many; n += 1) {
      await tx.activity({
        organization: 'acme',
        action: 'many.times',
        reference_title: n === 7 ? '=HYPERLINK("http://evil.example")' : `n ${n}`,
        after: { n, password: 'hidden-by-the-mask' },
      })
    }
    return name
  })
  owner = await booted.signedIn('owner@acme.example')
  manager = await booted.signedIn('manager@acme.example')
  member = await booted.signedIn('member@acme.example')
  stranger = await booted.signedIn('owner@globex.example')
})
afterAll(() => booted?.close())

const ask = (browser: Browser, params: Record<string, unknown>) =>
  browser.fetch('/api/method/easydash.api.activity.export', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'x-frappe-csrf-token': browser.csrfToken ?? '',
    },
    body: JSON.stringify(params),
  })

type Row = Record<string, unknown>
async function rowsOf(browser: Browser, params: Record<string, unknown> = {}): Promise<Row[]> {
  const response = await ask(browser, { format: 'jsonl', ...params })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/jsonl; charset=utf-8')
  const text = await response.text()
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row)
}

it('holds every row once, newest first, across pages', async () => {
  const rows = await rowsOf(owner, { filters: { action: 'many.times' } })
  expect(rows).toHaveLength(many)
  expect(new Set(rows.map((row) => row.name)).size).toBe(many)
  expect(rows.map((row) => (row.after as Row).n)).toEqual(Array.from({ length: many }, (_, n) => many - 1 - n))
  expect(rows[0]).toMatchObject({
    organization: 'acme',
    actor: 'owner@acme.example',
    result: 'Done',
    via: 'schedule',
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  expect(rows[0]).not.toHaveProperty('sequence')
})

it('takes the filters of the list in all their forms, and refuses wrong ones before the first byte', async () => {
  const titles = (rows: Row[]) => rows.map((row) => row.reference_title)
  for (const filters of [
    [['reference_title', 'in', ['n 1', 'n 2']]],
    '[["reference_title","in",["n 1","n 2"]]]',
    { reference_title: ['in', ['n 1', 'n 2']] },
  ])
    expect(titles(await rowsOf(owner, { filters }))).toEqual(['n 2', 'n 1'])
  expect(
    titles(await rowsOf(owner, { or_filters: [['reference_title', '=', 'n 5'], { reference_title: 'n 6' }] })),
  ).toEqual(['n 6', 'n 5'])
  for (const filters of [[['sequence', '=', 1]], [['nope', '=', 1]], '{broken']) {
    const rejected = await ask(owner, { filters })
    expect(rejected.status).toBe(417)
    expect(rejected.headers.get('content-disposition')).toBeNull()
  }
  expect((await ask(owner, { format: 'xlsx' })).status).toBe(417)
})

it('is CSV that no spreadsheet runs', async () => {
  const response = await ask(owner, { filters: { action: 'many.times' } })
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(response.headers.get('content-disposition')).toMatch(
    /^attachment; filename="activity-acme-\d{4}-\d\d-\d\d\.csv"/,
  )
  expect(response.headers.get('cache-control')).toBe('no-store')
  const bytes = Buffer.from(await response.arrayBuffer())
  // A byte order mark: without it spreadsheets take umlauts for other signs.
  expect(bytes.subarray(0, 3).toString('hex')).toBe('efbbbf')
  const lines = bytes.subarray(3).toString().split('\r\n')
  expect(lines[0]).toMatch(/^name,creation,organization,actor,on_behalf_of,action,/)
  expect(lines).toHaveLength(many + 2)
  const formula = lines.find((line) => line.includes('HYPERLINK')) ?? ''
  expect(formula).toContain(`,"'=HYPERLINK(""http://evil.example"")",`)
})

it('holds what the caller may read and nothing else', async () => {
  const references = async (browser: Browser) =>
    new Set((await rowsOf(browser)).map((row) => `${String(row.organization)} ${String(row.reference_doctype)}`))
  expect(await references(manager)).toEqual(new Set(['acme Site', 'acme Server']))
  const own = await rowsOf(member)
  expect(own.length).toBeGreaterThan(0)
  for (const row of own) expect(row.reference_name).toBe(site)
  for (const row of await rowsOf(stranger)) expect(row.organization).toBe('globex')
  expect((await ask(booted.browser(), {})).status).toBe(403)
  await booted.person('alone@example.com')
  expect((await ask(await booted.signedIn('alone@example.com'), {})).status).toBe(403)
})

it('is on record with its filters, and only a POST does it', async () => {
  await rowsOf(manager, { filters: { result: 'Done' } })
  const [row] = await rowsOf(owner, { filters: { action: 'Activity.export', actor: 'manager@acme.example' } })
  expect(row).toMatchObject({
    after: { format: 'jsonl', filters: { result: 'Done' } },
    ip: expect.any(String),
    via: 'web',
  })
  const read = await owner.fetch('/api/method/easydash.api.activity.export', {
    headers: { accept: 'application/json' },
  })
  expect(read.status).toBe(403)
})

it('keeps only the beginning of long filters: the log is not there to be filled', async () => {
  const filters = ['a', 'b', 'c', 'd'].map((letter) => ['action', '!=', letter.repeat(4000)])
  expect((await ask(member, { filters })).status).toBe(200)
  const rows = await owner.app.db().getDocList('Activity', {
    fields: ['after'],
    filters: [
      ['action', '=', 'Activity.export'],
      ['actor', '=', 'member@acme.example'],
    ],
    orderBy: { field: 'creation', order: 'desc' },
    limit: 1,
  })
  expect(JSON.stringify(rows[0]?.after).length).toBeLessThan(1200)
  expect(JSON.stringify(rows[0]?.after)).toContain('action')
})

it('tells values that were too large to be kept by size and hash', async () => {
  await booted.documents.transaction({ ...booted.system, user: 'owner@acme.example' }, (tx) =>
    tx.activity({ organization: 'acme', action: 'large.one', after: { small: 1, large: 'x'.repeat(9000) } }),
  )
  const [row] = await rowsOf(owner, { filters: { action: 'large.one' } })
  const after = row?.after as { large: { omitted: { bytes: number; sha256: string } } } | undefined
  const omitted = after?.large.omitted
  expect(omitted).toEqual({ bytes: 9002, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })
  expect(row?.after).toMatchObject({ small: 1 })
  const csv = await (await ask(owner, { filters: { action: 'large.one' } })).text()
  expect(csv).toContain(`""large"":""8.8 KB, SHA-256 ${omitted?.sha256}""`)
})

it('holds more large entries than one list response could', async () => {
  await sql`insert into tab_activity (name, owner, creation, modified, modified_by, action, organization, actor, result, before, after)
    select 'big' || lpad(n::text, 7, '0'), 'x', now() + make_interval(secs => n), now(), 'x', 'large.many', 'globex',
      'owner@globex.example', 'Done', jsonb_build_object('text', repeat('y', 4050)),
      jsonb_build_object('text', repeat('z', 4050), 'n', n)
    from generate_series(1, 600) n`.execute(booted.database.db)
  const rows = await rowsOf(stranger, { filters: { action: 'large.many' } })
  expect(rows.map((row) => (row.after as Row).n)).toEqual(Array.from({ length: 600 }, (_, n) => 600 - n))
})

it('an entry says who did what to which document, from where, with what result and how long it took', async () => {
  await owner.app.db().updateDoc('Organization', 'acme', { title: 'Acme Ltd' })
  const [row] = await rowsOf(owner, { filters: { action: 'Organization.update' } })
  expect(row).toMatchObject({
    actor: 'owner@acme.example',
    organization: 'acme',
    reference_doctype: 'Organization',
    reference_name: 'acme',
    before: { title: 'acme' },
    after: { title: 'Acme Ltd' },
    result: 'Done',
    took_ms: expect.any(Number),
    via: 'web',
    ip: expect.stringMatching(/127\.0\.0\.1$/),
    previous_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
})
