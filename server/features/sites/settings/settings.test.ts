import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { thisMachine } from '#server/engines/site-ref.ts'
import { parseTimestamp } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { siteRef } from '../engine-of.ts'
import { reconcile } from '../reconcile.ts'

let t: TestSites
beforeAll(async () => {
  t = await openTestSites()
})
afterAll(() => t?.close())

const broken = () => t.engine.answers.push(...Array.from({ length: 8 }, () => ({ status: 500, body: '' })))
const engineSettings = (site: Site) => t.engine.settings.read(siteRef(site, thisMachine))
const activities = (site: Site, action: string) =>
  t.running.documents.transaction(systemSession(), (tx) =>
    tx.list(ActivityDoctype, [
      ['reference_name', '=', site.name],
      ['action', '=', action],
    ]),
  )

describe('PHP limits', () => {
  test('change with a check of the page, and are set back if it fails', async () => {
    const site = await t.live('limits')
    const wanted = { memory_mb: '128', upload_mb: '8' }
    expect(await t.end(await t.act(site.name, 'set_limits', wanted))).toMatchObject({ status: 'Done' })
    expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', memory_mb: 128, upload_mb: 8 })
    expect(await rejectionOf(t.act(site.name, 'set_limits', wanted))).toMatchObject({ code: 'invalid' })
    expect(await rejectionOf(t.act(site.name, 'set_limits', { memory_mb: '100', upload_mb: '8' }))).toMatchObject({
      field: 'memory_mb',
    })

    // Up before but for a hiccup, failing after: the first three answers are of the look before the change.
    t.engine.answers.push({ status: 503, body: '' }, { status: 200, body: 'ok' }, { status: 200, body: 'ok' })
    broken()
    const started = await t.act(site.name, 'set_limits', { memory_mb: '64', upload_mb: '8' })
    const failed = await t.end(started)
    expect(failed).toMatchObject({ status: 'Failed' })
    expect(failed.next_action).toContain('previous settings')
    expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', memory_mb: 128 })
    expect(await engineSettings(site)).toMatchObject({ memoryMb: 128, uploadMb: 8 })

    // A retry applies them again.
    t.engine.answers.length = 0
    await t.running.documents.runAction(t.owner, 'Job', String(started?.['job']), 'retry', {})
    expect(await t.end(started)).toMatchObject({ status: 'Done' })
    expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', memory_mb: 64 })
    expect(await engineSettings(site)).toMatchObject({ memoryMb: 64 })
  })

  test('that stay are not written again, and those of before come back, also if they are not offered', async () => {
    const site = await t.live('kept-limits')
    // As people set them on a server, which its document does not show.
    const theirs = { memoryMb: 512, uploadMb: 300 }
    await t.engine.settings.change(siteRef(site, thisMachine), theirs, { isFormer: true })
    const unchanged = { memory_mb: '256', upload_mb: '64' }
    for (const args of [{}, unchanged])
      expect(await rejectionOf(t.act(site.name, 'set_limits', args))).toMatchObject({ code: 'invalid' })
    expect(await rejectionOf(t.act(site.name, 'set_limits', { upload_mb: '100' }))).toMatchObject({
      field: 'upload_mb',
    })
    await t.end(await t.act(site.name, 'set_limits', { ...unchanged, memory_mb: '128' }))
    expect(await engineSettings(site)).toMatchObject({ memoryMb: 128, uploadMb: 300 })
    // Its document shows now what it has.
    expect(await t.siteNow(site.name)).toMatchObject({ memory_mb: 128, upload_mb: 300 })
    await t.engine.settings.change(siteRef(site, thisMachine), theirs, { isFormer: true })
    broken()
    // Its homepage answers before the change.
    t.engine.answers.unshift({ status: 200, body: 'ok' }, { status: 200, body: 'ok' })
    expect(await t.end(await t.act(site.name, 'set_limits', { memory_mb: '64' }))).toMatchObject({ status: 'Failed' })
    t.engine.answers.length = 0
    expect(await engineSettings(site)).toMatchObject(theirs)
    expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', memory_mb: 512, upload_mb: 300 })
  })

  test('are not for HTML', async () => {
    const site = await t.live('nophp', { site_type: 'html' })
    expect(await rejectionOf(t.act(site.name, 'set_limits', { memory_mb: '64', upload_mb: '8' }))).toMatchObject({
      code: 'unsupported',
    })
    for (const action of ['set_debug', 'read_wordpress_settings'])
      expect(await rejectionOf(t.act(site.name, action))).toMatchObject({ code: 'unsupported' })
  })
})

describe('debug mode', () => {
  test('stays on for a site whose page failed before, and ends in the document when it ends', async () => {
    const site = await t.live('debug')
    t.engine.answers.push(...Array.from({ length: 6 }, () => ({ status: 500, body: '' })))
    expect(await t.end(await t.act(site.name, 'set_debug', { enabled: 1, hours: 4 }))).toMatchObject({
      status: 'Done',
    })
    t.engine.answers.length = 0
    const { debug_until } = (await t.siteNow(site.name)) as Site
    expect(debug_until).not.toBeNull()
    expect((await engineSettings(site)).debugUntil).not.toBeNull()
    // The engine ended it.
    await t.engine.settings.change(siteRef(site, thisMachine), { debugUntil: null })
    await reconcile(t.deps, t.host)
    expect(await t.siteNow(site.name)).toMatchObject({ debug_until: null, status: 'Live' })
  })

  test('is turned off again', async () => {
    const site = await t.live('debugoff')
    await t.end(await t.act(site.name, 'set_debug', { enabled: 1 }))
    expect(await t.end(await t.act(site.name, 'set_debug', { enabled: 0 }))).toMatchObject({ status: 'Done' })
    expect(await t.siteNow(site.name)).toMatchObject({ debug_until: null })
    expect(await rejectionOf(t.act(site.name, 'set_debug', { enabled: 1, hours: 192 }))).toMatchObject({
      code: 'invalid',
    })
  })
})

describe('maintenance and HTTP authentication', () => {
  test('apply at once; the password is generated, stored encrypted and on nobody’s record', async () => {
    const site = await t.live('auth')
    expect(await t.act(site.name, 'maintenance', { enabled: 1 })).toBeNull()
    expect(await t.siteNow(site.name)).toMatchObject({ maintenance: 1, health: 'Up' })
    await t.act(site.name, 'maintenance', { enabled: 0 })
    expect(await t.siteNow(site.name)).toMatchObject({ maintenance: 0 })
    expect(await activities(site, 'Site.maintenance')).toMatchObject([
      { after: { maintenance: 1 }, result: 'Done' },
      { after: { maintenance: 0 } },
    ])

    expect(await rejectionOf(t.act(site.name, 'regenerate_http_auth'))).toMatchObject({ code: 'invalid' })
    await t.act(site.name, 'set_http_auth', { enabled: 1 })
    const secret = () =>
      t.running.documents.transaction(systemSession(), (tx) => tx.secret('Site', site.name, 'http_auth_password'))
    const first = await secret()
    expect(first).toMatch(/^[A-Za-z0-9]{24}$/)
    expect(await t.siteNow(site.name)).toMatchObject({ http_auth_user: 'preview' })
    expect((await engineSettings(site)).httpAuthUser).toBe('preview')
    expect(await rejectionOf(t.act(site.name, 'set_http_auth', { enabled: 1 }))).toMatchObject({ code: 'invalid' })
    await t.act(site.name, 'regenerate_http_auth')
    expect(await secret()).not.toBe(first)
    await t.act(site.name, 'set_http_auth', { enabled: 0 })
    expect(await secret()).toBeNull()
    expect(await t.siteNow(site.name)).toMatchObject({ http_auth_user: null })
    expect(JSON.stringify(await activities(site, 'Site.set_http_auth'))).not.toContain(String(first))
  })

  test('do not depend on the homepage, which they do not concern', async () => {
    const site = await t.live('unsafe')
    broken()
    await t.act(site.name, 'maintenance', { enabled: 1 })
    expect(await engineSettings(site)).toMatchObject({ maintenance: true })
    await t.act(site.name, 'set_http_auth', { enabled: 1 })
    const first = (await t.siteNow(site.name))?.http_auth_user
    await t.act(site.name, 'regenerate_http_auth', {})
    expect([first, (await engineSettings(site)).httpAuthUser]).toEqual(['preview', 'preview'])
    t.engine.answers.length = 0
  })

  test('of a document that missed a change show it', async () => {
    const site = await t.live('missed')
    await t.engine.settings.change(siteRef(site, thisMachine), { maintenance: true, memoryMb: 64 })
    await reconcile(t.deps, t.host)
    expect(await t.siteNow(site.name)).toMatchObject({ maintenance: 1, memory_mb: 64 })
  })
})

describe('settings of WordPress', () => {
  const read = async (site: Site) =>
    (await t.act(site.name, 'read_wordpress_settings')) as { values: Record<string, unknown> } | null

  test('are read live, saved, undone, and kept from overwriting what somebody else changed', async () => {
    const site = await t.live('words')
    const before = await read(site)
    expect(before?.values).toMatchObject({ title: "Ann's & Bob", permalinks: '/%postname%/' })
    const save = (changes: object, expected: object) =>
      t.act(site.name, 'save_wordpress_settings', { changes, expected })
    const saved = await save({ title: 'New', permalinks: '' }, before?.values ?? {})
    expect(saved).toMatchObject({ values: { title: 'New', permalinks: '' } })
    expect(await t.siteNow(site.name)).toMatchObject({ title: 'New' })
    expect(await activities(site, 'Site.save_wordpress_settings')).toMatchObject([
      { before: { title: "Ann's & Bob" }, after: { title: 'New', permalinks: '' }, result: 'Done' },
    ])
    expect(await rejectionOf(save({ title: 'Other' }, before?.values ?? {}))).toMatchObject({
      code: 'conflict',
      field: 'title',
      message: expect.stringContaining('Title was changed') as string,
    })
    expect(await rejectionOf(save({ language: 'xx' }, { language: 'en_US' }))).toMatchObject({ field: 'language' })
    expect(await rejectionOf(save({ permalinks: 'x' }, { permalinks: '' }))).toMatchObject({
      code: 'invalid',
      field: 'permalinks',
    })
    for (const [changes, expected] of [
      [{}, {}],
      [{ siteurl: 'http://evil' }, {}],
      [{ title: 'A' }, {}],
    ] as const)
      expect(await rejectionOf(save(changes, expected))).toMatchObject({ code: 'invalid' })
    expect((await read(site))?.values).toMatchObject({ title: 'New' })
  })
})

test('settings of WordPress of which the site takes only some: the error names those it refused, and its new title is kept', async () => {
  const site = await t.live('wordspartly')
  const ref = siteRef(site, thisMachine)
  const { values } = await t.engine.settings.readWordPress(ref)
  const save = (changes: object) =>
    rejectionOf(t.act(site.name, 'save_wordpress_settings', { changes, expected: values }))
  // Not installed, so the engine does not take it.
  expect(await save({ title: 'Taken', language: 'fr_FR' })).toMatchObject({
    code: 'unavailable',
    field: 'language',
    message: 'Everything else was saved, but the site did not take the new value of Language.',
  })
  expect((await t.engine.settings.readWordPress(ref)).values).toEqual({ ...values, title: 'Taken' })
  expect(await t.siteNow(site.name)).toMatchObject({ title: 'Taken' })
  expect(await save({ language: 'fr_FR' })).toMatchObject({
    message: 'The site did not take the new value of Language.',
    nextAction: { text: 'Code of the site, such as a plugin, may set it.' },
  })

  const { changeWordPress } = t.engine.settings
  Reflect.set(t.engine.settings, 'changeWordPress', async () => ({
    settings: await t.engine.settings.readWordPress(ref),
    conflicts: [],
    refused: ['tagline', 'timezone'],
  }))
  const error = await save({ tagline: 'No', timezone: 'Europe/Berlin', search_engines: 0 })
  Reflect.set(t.engine.settings, 'changeWordPress', changeWordPress)
  expect(error?.message).toBe(
    'Everything else was saved, but the site did not take the new values of Tagline, Time zone.',
  )
})

test('settings of WordPress with which the homepage fails are put back, and the error says so', async () => {
  const site = await t.live('wordsback')
  const { values } = await t.engine.settings.readWordPress(siteRef(site, thisMachine))
  const save = () => t.act(site.name, 'save_wordpress_settings', { changes: { title: 'New' }, expected: values })
  const works = { status: 200, body: 'It works before.' }
  t.engine.answers.push(works, works)
  broken()
  const error = await rejectionOf(save())
  t.engine.answers.length = 0
  expect(error).toMatchObject({ nextAction: { text: expect.stringMatching(/^The settings are as they were before/) } })
  expect((await t.engine.settings.readWordPress(siteRef(site, thisMachine))).values).toEqual(values)
  // What failed before may be what the new values repair, whatever was known of it.
  broken()
  await save()
  t.engine.answers.length = 0
  expect((await t.engine.settings.readWordPress(siteRef(site, thisMachine))).values).toMatchObject({ title: 'New' })
})

describe('suspending', () => {
  test('stops the site until it is resumed', async () => {
    const site = await t.live('stopped')
    expect(await t.end(await t.act(site.name, 'suspend'))).toMatchObject({ status: 'Done' })
    const suspended = (await t.siteNow(site.name)) as Site
    expect(suspended).toMatchObject({ status: 'Suspended', health: 'Not Checked' })
    expect(suspended.suspended_at).not.toBeNull()
    expect(suspended.failure_reason).toContain('suspended by its owners')
    expect((await t.engine.request(siteRef(site, thisMachine), '/')).status).toBe(503)
    for (const action of ['suspend', 'login_link', 'maintenance'])
      expect(await rejectionOf(t.act(site.name, action, { enabled: 1 }))).toMatchObject({ code: 'invalid' })
    await reconcile(t.deps, t.host)
    expect(await t.siteNow(site.name)).toMatchObject({ status: 'Suspended' })

    expect(await t.end(await t.act(site.name, 'resume'))).toMatchObject({ status: 'Done' })
    expect(await t.siteNow(site.name)).toMatchObject({
      status: 'Live',
      suspended_at: null,
      failure_reason: null,
      health: 'Up',
    })
  })

  test('ends in a live site that says why it is down, if its page fails', async () => {
    const site = await t.live('stoppedbad')
    await t.end(await t.act(site.name, 'suspend'))
    broken()
    const failed = await t.end(await t.act(site.name, 'resume'))
    expect(failed).toMatchObject({ status: 'Failed' })
    expect(failed.next_action).toMatch(/^The site is live again, but its homepage fails.* Look at the log of the site/)
    t.engine.answers.length = 0
    expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', health: 'Down', suspended_at: null })
  })

  test('goes on if the site cannot be started, and the job does not say that it is live', async () => {
    const site = await t.live('stoppedstill')
    await t.end(await t.act(site.name, 'suspend'))
    vi.spyOn(t.engine.settings, 'resume').mockRejectedValueOnce(new Error('no process'))
    const failed = await t.end(await t.act(site.name, 'resume'))
    expect(failed).toMatchObject({ status: 'Failed' })
    expect(failed.next_action).not.toContain('live again')
    expect(await t.siteNow(site.name)).toMatchObject({ status: 'Suspended' })
  })

  test('that nobody knows the end of makes the site Failed, and a retry ends it', async () => {
    const site = await t.live('stoppedlost')
    const retry = async (started: object | null) => {
      expect(await t.siteNow(site.name)).toMatchObject({ status: 'Failed', locked_by_job: null })
      await t.running.documents.runAction(t.owner, 'Job', String(Reflect.get({ ...started }, 'job')), 'retry', {})
      expect(await t.end(started)).toMatchObject({ status: 'Done' })
    }
    vi.spyOn(t.engine.settings, 'suspend').mockRejectedValueOnce(new Error('no answer'))
    vi.spyOn(t.engine.settings, 'resume').mockRejectedValueOnce(new Error('still no answer'))
    const suspending = await t.act(site.name, 'suspend')
    expect((await t.end(suspending)).error_message).toContain('still no answer')
    await retry(suspending)
    expect(await t.siteNow(site.name)).toMatchObject({ status: 'Suspended' })
    expect(await engineSettings(site)).toMatchObject({ suspended: true })

    vi.spyOn(t.engine.settings, 'resume').mockRejectedValueOnce(new Error('no answer'))
    vi.spyOn(t.engine.settings, 'read').mockRejectedValueOnce(new Error('still no answer'))
    const resuming = await t.act(site.name, 'resume')
    expect((await t.end(resuming)).error_message).toContain('still no answer')
    await retry(resuming)
    expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', suspended_at: null, failure_reason: null })
    expect(await engineSettings(site)).toMatchObject({ suspended: false })
  })

  test('by a quota is not undone by resuming', async () => {
    const site = await t.live('quota')
    await t.running.documents.transaction(systemSession(), (tx) =>
      tx.update(SiteDoctype, site.name, { status: 'Suspended' }, { hooks: false }),
    )
    expect(await rejectionOf(t.act(site.name, 'resume'))).toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('quota') as string,
    })
  })

  test('survives an archive that was canceled, and ends when the archive is restored', async () => {
    const site = await t.live('stoppedarchive')
    await t.end(await t.act(site.name, 'suspend'))
    await t.end(await t.act(site.name, 'archive', { confirm_name: 'stoppedarchive' }))
    expect(await t.end(await t.act(site.name, 'restore_archive'))).toMatchObject({ status: 'Done' })
    expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', suspended_at: null })
  })
})

describe('a preview link', () => {
  test('is shown once, and its end is a field of the site', async () => {
    const site = await t.live('shown')
    const made = (await t.act(site.name, 'create_preview_link', { duration: '1 day' })) as { url: string } | null
    const token = String(made?.url.split('token=')[1])
    const until = (await t.siteNow(site.name))?.preview_until
    expect(parseTimestamp(String(until)) - Date.now()).toBeGreaterThan(23 * 3_600_000)
    expect(JSON.stringify(await activities(site, 'Site.create_preview_link'))).not.toContain(token)
    expect(JSON.stringify(await t.siteNow(site.name))).not.toContain(token)
    expect(await rejectionOf(t.act(site.name, 'create_preview_link', { duration: '2 years' }))).toMatchObject({
      field: 'duration',
    })
    await t.act(site.name, 'end_preview_link')
    expect(await t.siteNow(site.name)).toMatchObject({ preview_until: null })
    expect(await activities(site, 'Site.end_preview_link')).toMatchObject([{ after: { preview_until: null } }])
  })
})
