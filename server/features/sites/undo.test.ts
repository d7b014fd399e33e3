import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Action } from '#shared/doctype.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'

/** What the web app offers as undo is an ordinary call: it brings the values of before back. */
let t: TestSites
beforeAll(async () => {
  t = await openTestSites()
})
afterAll(() => t?.close())

let made = 0
const alias = { domain: 'www.undo.example', mode: 'redirect' }
const actions: Readonly<Record<string, Action>> = SiteDoctype.actions ?? {}
function undoOf(action: string, before: Record<string, unknown>, args: Record<string, unknown>) {
  const { undo } = actions[action] ?? {}
  return typeof undo === 'function' ? undo(before, args) : null
}
async function done(site: string, action: string, args: Record<string, unknown>): Promise<void> {
  const result = await t.act(site, action, args)
  if (typeof result?.['job'] === 'string') expect((await t.end(result)).status).toBe('Done')
}
/** What a limit is that was never set. */
const unset: Readonly<Record<string, number>> = { memory_mb: 256, upload_mb: 64 }

async function fieldsOf(site: string, fields: readonly string[] = []) {
  const now: Record<string, unknown> = { ...((await t.siteNow(site)) as Site) }
  return Object.fromEntries(fields.map((field) => [field, now[field] ?? unset[field] ?? null]))
}

test.each([
  ['set_php_version', { php_version: '8.3' }],
  ['set_limits', { memory_mb: '128', upload_mb: '8' }],
  ['set_debug', { enabled: 1, hours: 1 }],
  ['maintenance', { enabled: 1 }],
  ['set_http_auth', { enabled: 1 }],
  ['set_protection', { protection: 'hide_errors', enabled: 1 }],
  ['set_alias_mode', { domain: 'www.undo.example', mode: 'serve' }],
  ['change_domain', { domain: 'other', old_domain: 'redirect' }],
  ['change_domain', { domain: 'www.undo.example', old_domain: 'serve' }],
])('%s is undone with the values of before: %j', async (action, args) => {
  const { name } = await t.live(`undo-${(made += 1)}`)
  if (JSON.stringify(args).includes(alias.domain)) await t.act(name, 'add_alias', alias)
  const undo = undoOf(action, { ...(await t.siteNow(name)) }, args)
  const before = await fieldsOf(name, undo?.fields)
  await done(name, action, args)
  expect(await fieldsOf(name, undo?.fields)).not.toEqual(before)
  await done(name, String(undo?.action), { ...undo?.args })
  expect(await fieldsOf(name, undo?.fields)).toEqual(before)
  await t.act(name, 'remove_alias', { domain: alias.domain }).catch(() => null)
})

test.each([
  [
    'set_plugin',
    { plugin: 'hello.php', do: 'activate' },
    { plugin_active: false },
    { action: 'set_plugin', args: { plugin: 'hello.php', do: 'deactivate' } },
  ],
  [
    'set_plugin',
    { plugin: 'hello.php', do: 'deactivate' },
    { plugin_active: true, plugin_network: true },
    { action: 'set_plugin', args: { plugin: 'hello.php', do: 'activate', network: 1 } },
  ],
  [
    'set_theme',
    { theme: 'new', do: 'activate' },
    { active_theme: 'old' },
    { action: 'set_theme', args: { theme: 'old', do: 'activate' } },
  ],
] as const)('%s is undone with what the page knows', (action, args, before, undo) => {
  expect(undoOf(action, before, args)).toMatchObject({ ...undo, fields: [] })
  expect(undoOf(action, { name: 's1' }, args)).toBeNull()
})

test('an archive is undone for a site that was live: one that was suspended would be open to visitors', () => {
  expect(undoOf('archive', { status: 'Live' }, {})).toEqual({ action: 'restore_archive' })
  for (const status of ['Suspended', 'Failed', undefined]) expect(undoOf('archive', { status }, {})).toBeNull()
})

test('debug mode that was turned off is on again until its former end, as long as that is to come', async () => {
  const { name } = await t.live('undo-debug')
  await done(name, 'set_debug', { enabled: 1, hours: 4 })
  const before = await fieldsOf(name, ['debug_until'])
  const undo = undoOf('set_debug', { ...(await t.siteNow(name)) }, { enabled: 0 })
  await done(name, 'set_debug', { enabled: 0 })
  expect(await fieldsOf(name, ['debug_until'])).toEqual({ debug_until: null })
  await done(name, String(undo?.action), { ...undo?.args })
  expect(await fieldsOf(name, ['debug_until'])).toEqual(before)
  expect(undoOf('set_debug', { debug_until: '2020-01-01 00:00:00.000000' }, { enabled: 0 })).toBeNull()
  expect(undoOf('set_debug', { name: 's1' }, { enabled: 0 })).toBeNull()
  for (const until of ['2020-01-01 00:00:00.000000', '2999-01-01 00:00:00.000000'])
    expect(await rejectionOf(t.act(name, 'set_debug', { enabled: 1, until }))).toMatchObject({
      code: 'invalid',
      field: 'until',
    })
})

test('what can not be had back is not offered', () => {
  const site = { status: 'Live', http_auth_user: 'preview', debug_until: '2026-01-01 00:00:00.000000' }
  expect(undoOf('set_http_auth', site, { enabled: 0 })).toBeNull()
  expect(undoOf('set_debug', site, { enabled: 1 })).toBeNull()
  // A reference says nothing of the values before.
  for (const action of ['set_php_version', 'set_limits', 'set_debug', 'maintenance', 'set_alias_mode', 'change_domain'])
    expect(undoOf(action, { name: 's1' }, { domain: 'x', enabled: 1 }), action).toBeNull()
})

test('a limit that is undone is one that was changed, and is offered', () => {
  const undo = (before: object, args: object) => undoOf('set_limits', { status: 'Live', ...before }, { ...args })
  const back = (args: object) => ({ action: 'set_limits', args, fields: Object.keys(args) })
  expect(undo({ engine: 'ee' }, { memory_mb: '256', upload_mb: '8' })).toEqual(back({ upload_mb: '100' }))
  expect(undo({ engine: 'local', upload_mb: 64 }, { upload_mb: '8' })).toEqual(back({ upload_mb: '64' }))
  expect(undo({ engine: 'ee', memory_mb: 512 }, { upload_mb: '8' })).toEqual(back({ upload_mb: '100' }))
  expect(undo({ engine: 'ee', memory_mb: 512 }, { memory_mb: '128' })).toBeNull()
})

test('who may not change the site may not undo either', async () => {
  const { name } = await t.live('undo-rights')
  const undo = undoOf('maintenance', { ...(await t.siteNow(name)) }, { enabled: 1 })
  await done(name, 'maintenance', { enabled: 1 })
  const stranger = { ...t.owner, user: 'nobody@acme.example' }
  const error = await rejectionOf(
    t.running.documents.runAction(stranger, 'Site', name, String(undo?.action), { ...undo?.args }),
  )
  expect(error).not.toBeNull()
  expect(await t.siteNow(name)).toMatchObject({ maintenance: 1 })
})
