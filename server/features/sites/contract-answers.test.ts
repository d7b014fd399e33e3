/** What the actions and methods of a site answer to programs of others, by the names that these rely on. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Method } from '#server/contracts/method.ts'
import { systemSession } from '#server/jobs/session.ts'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { siteRef } from './engine-of.ts'
import { thisMachine } from '#server/engines/site-ref.ts'
import { uptimeMethod } from './monitoring/uptime-method.ts'
import { readLogMethod } from './read-log-method.ts'
import { checksumMethod } from './wordpress/checksum-method.ts'

let t: TestSites
let site: Site
beforeAll(async () => {
  t = await openTestSites()
  site = await t.live('contract')
})
afterAll(() => t?.close())

const act = (action: string, args: Record<string, unknown> = {}): Promise<unknown> => t.act(site.name, action, args)
const never = () => Promise.reject(new Error('Not used here.'))
const call = (method: Method, params: Record<string, unknown>): Promise<unknown> =>
  method.run(
    { site: site.name, ...params },
    {
      ...{ session: t.owner, documents: t.running.documents, ip: '203.0.113.7', userAgent: 'test', device: null },
      ...{ machineToken: null, signIn: never, rememberDevice: never, signOut: never },
      ...{ notice: () => undefined, extra: () => undefined },
    },
  )
const recorded = (reference: string, action: string) =>
  t.running.documents.transaction(systemSession(), (tx) =>
    tx.list(ActivityDoctype, [
      ['reference_name', '=', reference],
      ['action', '=', action],
    ]),
  )

test.each([
  ['list_plugins', ['plugin', 'name', 'version', 'active', 'auto_update', 'update']],
  ['list_themes', ['theme', 'name', 'version', 'active', 'update']],
  ['list_users', ['user', 'login', 'name', 'email', 'role']],
  ['list_cron', ['hook', 'next', 'schedule', 'late']],
  ['site_health', ['id', 'severity', 'text', 'fix']],
])('%s answers a list', async (action, keys) => {
  const rows = await act(action)
  if (!Array.isArray(rows)) throw new Error(`${action} answers no list`)
  expect(rows.length).toBeGreaterThan(0)
  for (const row of rows) for (const key of keys) expect(row).toHaveProperty(key)
})

test('a scheduled event runs by its hook', async () => {
  expect(await act('run_cron', { hook: 'wp_version_check' })).toEqual({ ran: 1 })
  expect(await rejectionOf(act('run_cron', { hook: 'no_such_hook' }))).toMatchObject({
    code: 'not_found',
    field: 'hook',
  })
})

test('the title changes in WordPress and in the document', async () => {
  await act('set_title', { title: 'Of the contract' })
  expect(await t.siteNow(site.name)).toMatchObject({ title: 'Of the contract' })
  expect((await t.engine.settings.readWordPress(siteRef(site, thisMachine))).values.title).toBe('Of the contract')
})

test('aliases are set as a whole, and those that are not named go', async () => {
  await act('set_aliases', { domains: ['one-alias', 'two-alias'], mode: 'serve' })
  const now = async () => (await t.siteNow(site.name))?.aliases?.map(({ domain, mode }) => `${domain} ${mode}`) ?? []
  expect((await now()).toSorted()).toEqual(['one-alias serve', 'two-alias serve'])
  expect(await act('set_aliases', { domains: ['two-alias'], mode: 'redirect' })).toEqual({ domains: ['two-alias'] })
  expect(await now()).toEqual(['two-alias redirect'])
  expect(await rejectionOf(act('set_aliases', { domains: ['contract'], mode: 'serve' }))).toMatchObject({
    code: 'invalid',
  })
  expect(await now()).toEqual(['two-alias redirect'])
  await act('set_aliases', { domains: [], mode: 'redirect' })
  expect(await now()).toEqual([])
})

test.each([
  ['set_aliases', { domains: ['Upper.example'], mode: 'serve' }],
  ['add_alias', { domain: 'Upper.example', mode: 'serve' }],
  ['set_alias_mode', { domain: 'Upper.example', mode: 'redirect' }],
  ['remove_alias', { domain: 'Upper.example' }],
  ['change_domain', { domain: 'Upper.example' }],
  ['change_domain', { domain: 'Upper.example', dry_run: 1 }],
])('%s refuses upper case and says how the name is written', async (action, args) => {
  expect(await rejectionOf(act(action, args))).toMatchObject({
    code: 'invalid',
    field: 'domain',
    message: 'Write the name in lower case: “upper.example”.',
  })
})

test('a dry run of a change of domain says what it would replace, changes nothing and is not recorded', async () => {
  const before = await t.siteNow(site.name)
  expect(await act('change_domain', { domain: 'other-contract', dry_run: 1 })).toEqual({
    tables: expect.arrayContaining([
      { table: expect.any(String), rows: expect.any(Number), replacements: expect.any(Number) },
    ]),
    replacements: expect.any(Number),
  })
  expect(await t.siteNow(site.name)).toEqual(before)
  expect(await recorded(site.name, 'Site.change_domain')).toEqual([])
})

test('a dry run of a push is its plan', async () => {
  const made = await t.act(site.name, 'create_staging')
  expect(made).toEqual({ name: expect.any(String), job: expect.any(String) })
  expect(await t.end(made)).toMatchObject({ status: 'Done' })
  const staging = String(made?.['name'])
  expect(await t.siteNow(staging)).toMatchObject({ domain: 'contract-staging' })
  const push = (args: Record<string, unknown>) => t.act(staging, 'push_staging', { what: ['files'], ...args })
  expect(await rejectionOf(push({}))).toMatchObject({ code: 'invalid', field: 'dry_run' })
  expect(await push({ dry_run: 1 })).toEqual({
    files: { added: 0, changed: 0, deleted: 0, samples: [] },
    tables: [],
    clashes: [],
  })
  expect(await recorded(staging, 'Site.push_staging')).toEqual([])
  expect(await t.end(await push({}))).toMatchObject({ status: 'Done', reference_name: site.name })
})

test('an export leaves its address in the job', async () => {
  const job = await t.end(await t.act(site.name, 'export_site'))
  expect(job.result).toEqual({ url: `/api/method/easydash.api.site.download_export?site=${site.name}` })
})

test('a checksum that was never made says nothing', async () => {
  const checksum = () => call(checksumMethod, {})
  expect(await checksum()).toEqual({ checked_at: null, source: null, changed: [], added: [], missing: [] })
  await t.end(await t.act(site.name, 'verify_checksum'))
  expect(await checksum()).toMatchObject({ checked_at: expect.any(String), source: expect.any(String), changed: [] })
})

test.each([
  ['1h', 12],
  ['6h', 72],
  ['12h', 144],
  ['24h', 288],
  ['3d', 864],
  ['7d', 2016],
])('uptime of %s has %d slots', async (range, count) => {
  const found = await call(uptimeMethod(t.deps), { range })
  expect(found).toMatchObject({ interval: 300, incidents: [] })
  const { samples } = found as { samples: { timestamp: number; missing: number; status: string | null }[] }
  expect(samples).toHaveLength(count)
  expect(samples.every(({ timestamp }, at) => at === 0 || timestamp === (samples[at - 1]?.timestamp ?? 0) + 300)).toBe(
    true,
  )
  expect(samples.filter(({ missing, status }) => (missing === 1) !== (status === null))).toEqual([])
})

test('logs are read from their beginning, by level and text, each line once', async () => {
  const lines = [
    '[24-Nov-2026 20:15:01 UTC] PHP Fatal error:  one',
    '#0 stack',
    '[24-Nov-2026 20:15:02 UTC] PHP Warning:  two',
    '[24-Nov-2026 20:15:03 UTC] PHP Warning:  two',
  ]
  t.engine.addToLog(site.name, 'php', `${lines.join('\n')}\n`)
  const logs = (args: Record<string, unknown>) => call(readLogMethod, { log: 'php', ...args })
  const first = (await logs({})) as { cursor: string; done: boolean }
  expect(first).toMatchObject({
    lines: [
      { n: 1, at: '2026-11-24 20:15:01.000000', level: 'error', text: 'PHP Fatal error:  one\n#0 stack', count: 1 },
      { n: 4, at: '2026-11-24 20:15:03.000000', level: 'warning', text: 'PHP Warning:  two', count: 2 },
    ],
    done: true,
  })
  expect(await logs({ level: 'warning' })).toMatchObject({ lines: [{ count: 2 }] })
  expect(await logs({ search: 'FATAL' })).toMatchObject({ lines: [{ n: 1 }] })
  expect(await logs({ cursor: first.cursor })).toMatchObject({ lines: [], done: true })
  expect(await rejectionOf(logs({ cursor: 'x' }))).toMatchObject({ code: 'invalid', field: 'cursor' })
  expect(await call(readLogMethod, { log: 'mail' })).toMatchObject({ done: true })
})
