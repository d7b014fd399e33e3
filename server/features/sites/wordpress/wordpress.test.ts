import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { ownHost } from '#server/engines/hosts.ts'
import { fatalPlugin, neededPlugin, pageBreakingPlugin } from '#server/engines/fake/fake-wordpress-state.ts'
import { siteRef } from '../engine-of.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { Site } from '#shared/doctypes/site.ts'
import type { WordPressFacts } from '#shared/responses/wordpress.ts'
import { thisMachine } from '#server/engines/site-ref.ts'
import { holding } from '#tests/support/site-engine.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { verifyRunning } from './verify-checksums.ts'

let t: TestSites
let site: Site
type Stored = { facts: WordPressFacts | null; measured_at: string | null }
const facts = async () => (await t.act(site.name, 'wordpress_facts')) as unknown as Stored
const plugin = async (id: string) => (await facts()).facts?.plugins.find((one) => one.id === id)
const entries = async (action: string, of = site.name) =>
  t.running.documents.transaction(systemSession(), (tx) =>
    tx.list('Activity', [
      ['action', '=', action],
      ['reference_name', '=', of],
    ]),
  )

beforeAll(async () => {
  t = await openTestSites()
  site = await t.live('wordpress-actions')
})
afterAll(() => t?.close())

test('what was read is stored with its time, and shown until it is read again', async () => {
  expect(await facts()).toEqual({ facts: null, measured_at: null })
  const read = (await t.act(site.name, 'inspect_wordpress')) as unknown as Stored
  expect(read.facts?.plugins.map(({ id }) => id)).toContain('hello.php')
  expect(await facts()).toEqual(read)
})

test('activating a plugin is a job that is recorded with the name of the plugin', async () => {
  const job = await t.end(await t.act(site.name, 'set_plugin', { plugin: 'hello.php', do: 'activate' }))
  expect(job).toMatchObject({ status: 'Done', label: "Activate Hello Dolly on Ann's & Bob" })
  expect(await plugin('hello.php')).toMatchObject({ active: true })
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', locked_by_job: null })
  expect(await entries('site.activate_plugin')).toContainEqual(
    expect.objectContaining({ result: 'Done', detail: 'Hello Dolly' }),
  )
})

test.each([
  ['fails while it is activated', fatalPlugin, /own code failed/],
  ['breaks the homepage', pageBreakingPlugin, /status 500/],
])('a plugin that %s is deactivated again, and the job says why', async (_what, id, reason) => {
  const job = await t.end(await t.act(site.name, 'set_plugin', { plugin: id, do: 'activate' }))
  expect(job.status).toBe('Failed')
  expect(job.error_message).toMatch(reason)
  expect(await plugin(id)).toMatchObject({ active: false })
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', failure_reason: null })
  // A retry makes the change again: without it the page would be fine.
  await t.running.documents.runAction(t.owner, 'Job', job.name, 'retry', {})
  expect(await t.end({ job: job.name })).toMatchObject({
    status: 'Failed',
    error_message: expect.stringMatching(reason),
  })
  expect(await plugin(id)).toMatchObject({ active: false })
})

test('a change that could not be taken back does not promise that it was', async () => {
  const { name } = await t.live('not-taken-back')
  const undo = vi.spyOn(t.engine.wordpress, 'undo').mockRejectedValue(new Error('No answer.'))
  const job = await t.end(await t.act(name, 'set_plugin', { plugin: pageBreakingPlugin, do: 'activate' }))
  undo.mockRestore()
  const reason = /status 500\. The state before could not be put back: No answer\.$/
  expect(job).toMatchObject({
    status: 'Failed',
    error_message: expect.stringMatching(reason),
    next_action: 'Look at the log, then retry.',
  })
  const { status, failure_reason } = { ...(await t.siteNow(name)) }
  expect([status, failure_reason]).toEqual(['Failed', `${job.error_message} ${job.next_action}`])
})

test('what was deleted comes back if the site needs it, and the job says so', async () => {
  const job = await t.end(await t.act(site.name, 'set_plugin', { plugin: neededPlugin, do: 'delete' }))
  expect(job).toMatchObject({ status: 'Failed', next_action: expect.stringMatching(/^The site is as it was before\./) })
  expect(await plugin(neededPlugin)).toBeDefined()
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', failure_reason: null })
  const other = await t.end(await t.act(site.name, 'set_plugin', { plugin: fatalPlugin, do: 'delete' }))
  expect(other.status).toBe('Done')
  expect(await plugin(fatalPlugin)).toBeUndefined()
})

test('on a site that is down, a change need not make it work', async () => {
  await t.engine.wordpress.change(siteRef(site, thisMachine), { kind: 'activate_plugin', plugin: pageBreakingPlugin })
  await t.running.documents.transaction(systemSession(), (tx) =>
    tx.updateColumns('Site', site.name, { health: 'Down' }),
  )
  const other = await t.end(await t.act(site.name, 'set_plugin', { plugin: 'hello.php', do: 'deactivate' }))
  expect(other.status).toBe('Done')
  await t.end(await t.act(site.name, 'set_plugin', { plugin: pageBreakingPlugin, do: 'deactivate' }))
  await t.running.documents.transaction(systemSession(), (tx) => tx.updateColumns('Site', site.name, { health: 'Up' }))
})

test('the theme before is the one that a failed switch goes back to', async () => {
  const job = await t.end(await t.act(site.name, 'set_theme', { theme: 'twentytwentythree', do: 'activate' }))
  expect(job.status).toBe('Done')
  expect((await facts()).facts?.themes.find(({ active }) => active)?.id).toBe('twentytwentythree')
})

test('small changes need no job, and are in the log', async () => {
  expect(await t.act(site.name, 'set_plugin', { plugin: 'hello.php', do: 'auto_update_on' })).toEqual({ ran: null })
  expect(await plugin('hello.php')).toMatchObject({ auto_update: true })
  expect(await entries('site.set_plugin_auto_update')).toMatchObject([{ result: 'Done', detail: 'hello.php' }])
  expect(await t.act(site.name, 'pause_scheduled_events', { paused: 1 })).toEqual({ ran: null })
  expect((await facts()).facts?.events.paused).toBe(true)
})

test('a new user gets a password that is only in the response', async () => {
  const made = await t.act(site.name, 'add_wordpress_user', { login: 'nora', email: 'n@x.example', role: 'editor' })
  expect(made?.['password']).toMatch(/^\w{24}$/)
  const reset = await t.act(site.name, 'reset_wordpress_password', { login: 'nora' })
  expect(reset?.['password']).not.toBe(made?.['password'])
  const logged = JSON.stringify([
    await entries('Site.add_wordpress_user'),
    await entries('Site.reset_wordpress_password'),
  ])
  expect(logged).toContain('nora')
  expect(logged).not.toContain(String(made?.['password']))
  expect(logged).not.toContain(String(reset?.['password']))
  expect(
    await rejectionOf(t.act(site.name, 'add_wordpress_user', { login: 'nora', email: 'n@x.example', role: 'editor' })),
  ).toMatchObject({
    code: 'invalid',
  })
  await t.act(site.name, 'delete_wordpress_user', { login: 'nora', reassign_to: 'admin' })
  expect(await t.act(site.name, 'wordpress_users', { search: 'nora' })).toMatchObject({ total: 0 })
})

test('a user is renamed, and the document of the site follows its administrator', async () => {
  const { name } = await t.live('renamed', { admin_user: 'admin' })
  expect(await t.act(name, 'rename_wordpress_user', { login: 'admin', new_login: 'ann' })).toEqual({ ran: null })
  expect(await t.act(name, 'wordpress_users', { search: 'ann' })).toMatchObject({ total: 1 })
  expect(await t.siteNow(name)).toMatchObject({ admin_user: 'ann' })
  expect(await entries('Site.rename_wordpress_user', name)).toMatchObject([{ result: 'Done', detail: 'admin → ann' }])
  for (const new_login of ['ann', 'two words', 'x'.repeat(33)])
    expect(
      await rejectionOf(t.act(name, 'rename_wordpress_user', { login: 'ann', new_login })),
      new_login,
    ).toMatchObject({ code: 'invalid', field: 'new_login' })
})

test.each([
  ['set_plugin', { plugin: '../../x.php', do: 'activate' }, 'plugin'],
  ['set_plugin', { plugin: 'a/../b.php', do: 'activate' }, 'plugin'],
  ['set_plugin', { plugin: 'akismet', do: 'delete' }, 'plugin'],
  ['set_theme', { theme: '..', do: 'activate' }, 'theme'],
  ['set_wordpress_role', { login: 'admin', role: 'Admin istrator' }, 'role'],
  ['reset_wordpress_password', { login: ' admin' }, 'login'],
  ['run_cron', { hook: 'x', event: 'x' }, 'event'],
  ['delete_wordpress_user', { login: 'a', reassign_to: 'a' }, 'reassign_to'],
])('%s refuses %j and names the field', async (action, args, field) => {
  expect(await rejectionOf(t.act(site.name, action, args))).toMatchObject({ code: 'invalid', field })
})

test('a site without WordPress has none of it', async () => {
  const html = await t.live('no-wordpress', { site_type: 'html', title: 'Plain', admin_user: null, admin_email: null })
  for (const action of [
    'wordpress_facts',
    'inspect_wordpress',
    'list_plugins',
    'flush_cache',
    'verify_checksum',
    'checksum_report',
  ])
    expect(await rejectionOf(t.act(html.name, action))).toMatchObject({ code: 'unsupported' })
})

test('verification says which files differ, on the site and in the report', async () => {
  await t.end(await t.act(site.name, 'verify_checksum'))
  expect(await t.siteNow(site.name)).toMatchObject({ wordpress_checksum: 'Verified', status: 'Live' })
  expect(await t.act(site.name, 'checksum_report')).toMatchObject({ report: { changed: [], source: 'package' } })
})

test('a plugin that differs makes the site Modified, is named, and its difference can be read', async () => {
  const ref = siteRef(site, thisMachine)
  expect(await t.act(site.name, 'compare_wordpress_file', { path: 'wp-includes/load.php' })).toMatchObject({
    result: 'same',
  })
  t.engine.changeFile(ref.id, 'wp-content/themes/twentytwentyfour/functions.php')
  const job = await t.end(await t.act(site.name, 'verify_checksum'))
  expect(job.status).toBe('Done')
  expect(await t.siteNow(site.name)).toMatchObject({ wordpress_checksum: 'Modified' })
  const found = (await t.act(site.name, 'package_checksums')) as unknown as { packages: { id: string }[] }
  expect(found.packages.find(({ id }) => id === 'twentytwentyfour')).toMatchObject({ changed: ['functions.php'] })
  expect(found.packages.find(({ id }) => id === 'hello.php')).toMatchObject({ changed: [], source: 'bundled' })
  const path = 'wp-content/themes/twentytwentyfour/functions.php'
  expect(await t.act(site.name, 'compare_wordpress_file', { path })).toMatchObject({ result: 'text' })
  expect(await rejectionOf(t.act(site.name, 'compare_wordpress_file', { path: 'wp-config.php' }))).toMatchObject({
    code: 'invalid',
  })
})

test('files that were exchanged are not verified any more, and are verified by the next round', async () => {
  const changed = await t.live('exchanged')
  const round = () => verifyRunning(t.deps, ownHost(holding(t.engine, [changed])))
  await round()
  await t.end(await t.act(changed.name, 'set_plugin', { plugin: 'hello.php', do: 'deactivate' }))
  expect(await t.siteNow(changed.name), 'the same files').toMatchObject({ wordpress_checksum: 'Verified' })
  await t.end(await t.act(changed.name, 'set_plugin', { plugin: 'hello.php', do: 'delete' }))
  expect(await t.siteNow(changed.name)).toMatchObject({ wordpress_checksum: 'Not Checked' })
  await round()
  expect(await t.siteNow(changed.name)).toMatchObject({ wordpress_checksum: 'Verified' })

  t.engine.changeFile(changed.name, 'wp-content/themes/twentytwentyfour/functions.php')
  await t.end(await t.act(changed.name, 'verify_checksum'))
  await t.end(await t.act(changed.name, 'install_plugin', { slug: 'seo' }))
  expect(await t.siteNow(changed.name), 'still true').toMatchObject({ wordpress_checksum: 'Modified' })
})

test('running sites are verified once a day', async () => {
  const other = await t.live('verified-nightly')
  const engine = holding(t.engine, [site, other])
  const measured = async (name: string) => (await t.act(name, 'checksum_report'))?.['measured_at']
  const before = await measured(site.name)
  await verifyRunning(t.deps, ownHost(engine))
  expect(await t.siteNow(other.name)).toMatchObject({ wordpress_checksum: 'Verified' })
  expect(await measured(site.name), 'verified a moment ago').toBe(before)
  t.pass(24 * 3_600_000)
  await verifyRunning(t.deps, ownHost(engine))
  expect(await measured(site.name)).not.toBe(before)
})

test('a plugin is installed from wordpress.org, updated and rolled back, each with its name in the log', async () => {
  const run = async (action: string, args: Record<string, unknown>) => t.end(await t.act(site.name, action, args))
  expect(await run('install_plugin', { slug: 'seo' })).toMatchObject({ status: 'Done' })
  expect(await plugin('seo/seo.php')).toMatchObject({ active: false, version: '2.0', previous: null })
  expect(await run('install_plugin', { slug: 'seo' })).toMatchObject({ status: 'Failed', error_code: 'conflict' })
  expect(await plugin('seo/seo.php'), 'nothing was undone').toMatchObject({ version: '2.0' })
  expect(await run('set_plugin', { plugin: 'seo/seo.php', do: 'update' })).toMatchObject({
    label: "Update seo on Ann's & Bob",
  })
  expect(await run('set_plugin', { plugin: 'seo/seo.php', do: 'rollback' })).toMatchObject({ status: 'Done' })
  expect(await run('set_plugin', { plugin: 'hello.php', do: 'rollback' })).toMatchObject({ status: 'Failed' })
  expect(await run('install_plugin', { slug: 'missing' })).toMatchObject({ status: 'Failed' })
  expect(await entries('site.update_plugin')).toContainEqual(expect.objectContaining({ result: 'Done', detail: 'seo' }))
})

test('an update with which the site fails is rolled back', async () => {
  const engine = t.engine.wordpress
  await t.end(await t.act(site.name, 'set_plugin', { plugin: 'hello.php', do: 'activate' }))
  await engine.change(siteRef(site, thisMachine), { kind: 'activate_plugin', plugin: pageBreakingPlugin })
  const job = await t.end(await t.act(site.name, 'set_plugin', { plugin: pageBreakingPlugin, do: 'update' }))
  expect(job).toMatchObject({ status: 'Failed' })
  expect(await plugin(pageBreakingPlugin)).toMatchObject({ version: '1.0' })
  await engine.change(siteRef(site, thisMachine), { kind: 'deactivate_plugin', plugin: pageBreakingPlugin })
})

describe('what a page shows neither by its status nor in what is seen of it', () => {
  const whole = { status: 200, body: '<html><p>Shop</p></body></HTML >\n' }
  const cut = { status: 200, body: '<html><p>Shop</p>' }
  const bare = { status: 200, body: '<p>Shop</p>' }
  const set = async (way: 'activate' | 'deactivate') =>
    t.end(await t.act(site.name, 'set_plugin', { plugin: 'hello.php', do: way }))
  const report = (text: string, log: 'php' | 'debug' = 'php') =>
    t.engine.addToLog(site.name, log, `[24-Nov-2026 23:10:11 UTC] PHP ${text}\n`)
  /** What happens with each page until the job is over, and right before the next change. */
  async function during(job: () => Promise<unknown>, onPage: (isChanged: boolean) => void, onChange = () => {}) {
    const { wordpress, request } = t.engine
    const change = wordpress.change.bind(wordpress)
    let isChanged = false
    const changing = vi.spyOn(wordpress, 'change').mockImplementationOnce(async (...given) => {
      onChange()
      const result = await change(...given)
      isChanged = true
      return result
    })
    const requesting = vi.spyOn(t.engine, 'request').mockImplementation((...given) => {
      onPage(isChanged)
      return request(...given)
    })
    const ended = await job()
    changing.mockRestore()
    requesting.mockRestore()
    return ended
  }
  /** Activates the plugin, with whose code PHP reports something on each page. */
  const activateReporting = (text: string, log: 'php' | 'debug' = 'php') =>
    during(
      () => set('activate'),
      (isChanged) => isChanged && report(text, log),
    )
  beforeEach(async () => {
    await t.engine.wordpress.change(siteRef(site, thisMachine), { kind: 'deactivate_plugin', plugin: 'hello.php' })
    await t.act(site.name, 'inspect_wordpress')
  })
  afterEach(() => {
    expect(t.engine.answers.splice(0)).toEqual([])
  })

  test('a page that broke off, as the one before did not, takes the change back', async () => {
    t.engine.answers.push(whole, cut, cut)
    expect(await set('activate')).toMatchObject({
      status: 'Failed',
      error_message: expect.stringMatching(/broke off before its end/),
    })
    expect(await plugin('hello.php')).toMatchObject({ active: false })
    expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', failure_reason: null })
  })

  test.each([
    ['never had an end', [cut, cut, cut]],
    ['failed before', [{ status: 500, body: '' }, cut, cut]],
    ['is none of WordPress now', [whole, bare, bare]],
    ['leads elsewhere now', [whole, { status: 404, body: 'Not found' }, { status: 404, body: 'Not found' }]],
  ])('a page that %s keeps it', async (_what, answers) => {
    t.engine.answers.push(...answers)
    expect(await set('activate')).toMatchObject({ status: 'Done' })
    expect(await plugin('hello.php')).toMatchObject({ active: true })
  })

  test.each(['php', 'debug'] as const)('an error that is new in the log %s takes it back, each time', async (log) => {
    const text = `Fatal error:  Uncaught Error: Call to undefined function ${log}() in /a.php:3`
    for (const attempt of [1, 2]) {
      expect([attempt, await activateReporting(text, log)]).toMatchObject([
        attempt,
        { status: 'Failed', error_message: expect.stringContaining(`Call to undefined function ${log}()`) },
      ])
      expect(await plugin('hello.php')).toMatchObject({ active: false })
    }
  })

  test('a warning keeps it', async () => {
    const text = 'Warning:  Undefined variable $a in /a.php on line 1'
    expect(await activateReporting(text)).toMatchObject({ status: 'Done' })
  })

  test('an error of a visitor before the code is changed is none of the change', async () => {
    const visit = () => report('Fatal error:  Before in /theme.php:1')
    expect(
      await during(
        () => set('activate'),
        () => {},
        visit,
      ),
    ).toMatchObject({ status: 'Done' })
  })

  test('an error of each page before is none of the change', async () => {
    let size = 0
    const failing = () => report(`Fatal error:  Allowed memory size of ${(size += 9)} bytes exhausted`)
    expect(await during(() => set('activate'), failing)).toMatchObject({ status: 'Done' })
  })

  test('of a theme, the log decides whether it breaks off the page', async () => {
    const to = async (theme: string) => t.end(await t.act(site.name, 'set_theme', { theme, do: 'activate' }))
    t.engine.answers.push(whole, cut, cut)
    expect(await to('twentytwentyfour')).toMatchObject({ status: 'Done' })
    const footer = (isChanged: boolean) => isChanged && report('Fatal error:  Footer in /footer.php:1')
    t.engine.answers.push(cut, cut, cut)
    expect(await during(() => to('twentytwentythree'), footer)).toMatchObject({
      status: 'Failed',
      error_message: expect.stringContaining('Footer in /footer.php'),
    })
  })
})

test('what is not on wordpress.org is not updated from there', async () => {
  expect(await rejectionOf(t.act(site.name, 'set_plugin', { plugin: 'hello.php', do: 'update' }))).toMatchObject({
    code: 'unsupported',
  })
})
