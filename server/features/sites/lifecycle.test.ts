import { thisMachine } from '#server/engines/site-ref.ts'
import { siteRef } from './engine-of.ts'
import { msg } from '#shared/localized-message.ts'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Session } from '#server/contracts/session.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { sessionOf } from '#tests/support/documents.ts'
import { until } from '#tests/support/jobs.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { checkAwake } from './health.ts'
import { checkSites } from './monitoring/check-sites.ts'
import { markDown } from './site-health.ts'
import { expireArchives, reconcile } from './reconcile.ts'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'

const slowAnswer = { status: 200, body: 'starting', tookMs: 9000 }
const blankObservation = { wordpressVersion: null, phpVersion: null, diskUsed: 0, storage: null, reason: null }

let t: TestSites
let engine: TestSites['engine']
let owner: Session

beforeAll(async () => {
  t = await openTestSites()
  engine = t.engine
  owner = t.owner
})
afterAll(() => t?.close())
beforeEach(() => {
  engine.calls.length = 0
})

describe('the life of a site', () => {
  test('archive, refuse changes, restore, archive, delete for good', async () => {
    const site = await t.live('life')
    expect(await t.end(await t.running.documents.delete(owner, 'Site', site.name))).toMatchObject({
      status: 'Done',
      job_type: 'site.archive',
    })
    const archived = (await t.siteNow(site.name)) as Site
    expect(archived).toMatchObject({ status: 'Archived', health: 'Not Checked', locked_by_job: null })
    expect(archived.archived_at).not.toBeNull()
    const edit = t.running.documents.transaction(owner, (tx) => tx.update(SiteDoctype, site.name, { title: 'Other' }))
    expect(await rejectionOf(edit)).toMatchObject({
      code: 'invalid',
      field: 'title',
      message: expect.stringContaining('archived') as string,
    })
    expect(await rejectionOf(t.act(site.name, 'login_link'))).toMatchObject({ code: 'invalid' })
    // Archiving can be undone; what cannot asks for the name.
    expect(await rejectionOf(t.act(site.name, 'delete_permanently', { confirm_name: 'wrong' }))).toMatchObject({
      field: 'confirm_name',
    })

    expect(await t.end(await t.act(site.name, 'restore_archive'))).toMatchObject({ status: 'Done' })
    expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', health: 'Up', archived_at: null })

    await t.end(await t.act(site.name, 'archive', { confirm_name: 'life' }))
    const { observe } = engine
    const measured: unknown[] = []
    engine.observe = (seen, options) => {
      measured.push(options?.measure)
      return observe(seen, options)
    }
    expect(await t.end(await t.running.documents.delete(owner, 'Site', site.name))).toMatchObject({
      status: 'Done',
      job_type: 'site.delete',
    })
    expect(await t.siteNow(site.name)).toBeNull()
    expect(engine.traces()).not.toContain(site.name)
    // Checking for existence does not measure.
    expect(measured).toEqual([false])
    engine.observe = observe
  })

  test('the login link is for the mapped user, 30 seconds, and on record', async () => {
    const site = await t.live('login')
    const response = await t.act(site.name, 'login_link')
    const [, token = ''] =
      /^http:\/\/login\.localhost:8080\/\.easydash\/login\?token=([\w-]{43})$/.exec(String(response?.url)) ?? []
    expect(token).not.toBe('')
    const log = await t.running.documents.transaction(systemSession(), (tx) =>
      tx.list(ActivityDoctype, [
        ['reference_name', '=', site.name],
        ['action', '=', 'Site.login_link'],
      ]),
    )
    expect(log).toHaveLength(1)
    expect(JSON.stringify(log)).not.toContain(token)
    await engine.destroy(siteRef(site, thisMachine))
    expect(await rejectionOf(t.act(site.name, 'login_link'))).toMatchObject({
      code: 'conflict',
      message: 'This machine does not have the site.',
      nextAction: { text: 'Refresh the page.' },
    })
    expect(
      await rejectionOf(t.act(site.name, 'login_link', {}, sessionOf('nobody@acme.example', 'acme'))),
    ).toMatchObject({
      code: 'not_found',
    })
  })

  test('another PHP version; one the site fails with is taken back', async () => {
    const site = await t.live('php', { php_version: '8.3' })
    expect(await t.end(await t.act(site.name, 'set_php_version', { php_version: '8.5' }))).toMatchObject({
      status: 'Done',
    })
    expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', php_version: '8.5' })
    expect(await rejectionOf(t.act(site.name, 'set_php_version', { php_version: '8.5' }))).toMatchObject({
      field: 'php_version',
    })
    expect(await rejectionOf(t.running.documents.save(owner, 'Site', site.name, { php_version: '8.2' }))).toMatchObject(
      {
        code: 'invalid',
        field: 'php_version',
      },
    )
    engine.answers.push(...Array.from({ length: 5 }, () => ({ status: 500, body: '' })))
    const started = await t.act(site.name, 'set_php_version', { php_version: '8.2' })
    expect(await t.end(started)).toMatchObject({ status: 'Failed' })
    expect(engine.calls.at(-1)).toBe('php 8.5 php')
    expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', php_version: '8.5', locked_by_job: null })
    engine.answers.length = 0
    await t.running.documents.runAction(owner, 'Job', String(started?.job), 'retry', {})
    expect(await t.end(started)).toMatchObject({ status: 'Done' })
    expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', php_version: '8.2' })
    expect((await engine.observe(siteRef(site, thisMachine))).phpVersion).toBe('8.2')
  })

  test('while a job holds the site every action names it', async () => {
    const site = await t.live('hang-pack-files')
    const job = await t.act(site.name, 'archive', { confirm_name: 'hang-pack-files' })
    await until(t.running.documents, 'Job', String(job?.job), () => engine.begun.includes('hang-pack-files:pack_files'))
    const error = await rejectionOf(t.running.documents.delete(owner, 'Site', site.name))
    expect(error).toMatchObject({
      code: 'locked',
      message: expect.stringContaining("Archive Ann's & Bob") as string,
    })
    await t.running.documents.runAction(owner, 'Job', String(job?.job), 'cancel', {})
    expect(await t.end(job)).toMatchObject({
      status: 'Cancelled',
      outcome: expect.stringContaining('the site stays as it was') as string,
    })
    expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', locked_by_job: null })
  })

  test('a site that could not be packed stays as it was, and the job can be retried', async () => {
    const site = await t.live('fail-pack-files')
    const job = await t.act(site.name, 'archive', { confirm_name: 'fail-pack-files' })
    const kept = { status: 'Live', failure_reason: null, locked_by_job: null }
    expect(await t.end(job)).toMatchObject({
      status: 'Failed',
      error_message: expect.stringContaining('on purpose') as string,
    })
    expect(await t.siteNow(site.name)).toMatchObject(kept)
    expect((await engine.observe(siteRef(site, thisMachine))).state).toBe('running')
    await t.running.documents.runAction(owner, 'Job', String(job?.job), 'retry', {})
    expect(await t.siteNow(site.name)).toMatchObject({ status: 'Archiving' })
    expect(await t.end(job)).toMatchObject({ status: 'Failed' })
    expect(await t.siteNow(site.name)).toMatchObject(kept)
  })

  test('a site is failed, with the reason, if the job failed while its files were being removed', async () => {
    const site = await t.live('fail-remove-files')
    await t.end(await t.act(site.name, 'archive', { confirm_name: 'fail-remove-files' }))
    expect(await t.siteNow(site.name)).toMatchObject({
      status: 'Failed',
      failure_reason: expect.stringContaining('on purpose') as string,
    })
  })

  test('the archive ends after 30 days, not before', async () => {
    const site = await t.live('old')
    await t.end(await t.act(site.name, 'archive', { confirm_name: 'old' }))
    t.pass(29 * 86_400_000)
    await expireArchives(t.deps)
    expect(await t.siteNow(site.name)).toMatchObject({ status: 'Archived', locked_by_job: null })
    t.pass(86_400_000 + 60_000)
    await expireArchives(t.deps)
    await until(t.running.documents, SiteDoctype, site.name, (doc) => doc === null)
    expect(engine.traces()).not.toContain(site.name)
  })
})

describe('documents and reality', () => {
  test('sites of the engine without a document are removed, if this database ever knew them', async () => {
    const doc = await t.insert('fail-check')
    await t.end(doc)
    await t.running.documents.transaction(systemSession(), (tx) => tx.delete(SiteDoctype, doc.name))
    await writeFile(join(t.folder, 'foreign123.json'), '{}')
    await reconcile(t.deps, t.host)
    expect(engine.traces()).not.toContain(doc.name)
    expect(engine.traces()).toContain('foreign123')
    await rm(join(t.folder, 'foreign123.json'))
  })

  test('a site whose job was deleted is failed and unlocked; a crashed one shows the reason', async () => {
    const site = await t.live('reality')
    const job = await t.running.documents.transaction(systemSession(), (tx) =>
      tx.list(JobDoctype, [['reference_name', '=', site.name]]),
    )
    await t.running.documents.transaction(systemSession(), (tx) =>
      tx.update(SiteDoctype, site.name, { status: 'Archiving', locked_by_job: job[0]?.name }, { hooks: false }),
    )
    await reconcile(t.deps, t.host)
    expect(await t.siteNow(site.name)).toMatchObject({
      status: 'Failed',
      locked_by_job: null,
      failure_reason: expect.stringContaining('interrupted') as string,
    })

    await t.running.documents.transaction(systemSession(), (tx) =>
      tx.update(SiteDoctype, site.name, { status: 'Live', failure_reason: null }, { hooks: false }),
    )
    engine.crash(site.name, 'It needed more than 768 MB.')
    await reconcile(t.deps, t.host)
    expect(await t.siteNow(site.name)).toMatchObject({
      status: 'Live',
      health: 'Down',
      failure_reason: 'It needed more than 768 MB.',
    })
  })

  test('shows a crash immediately; checks the site when it wakes, and never because it sleeps', async () => {
    const site = await t.live('pulse')
    const health = (value: string) => until(t.running.documents, SiteDoctype, site.name, (doc) => doc?.health === value)
    engine.emit({ id: site.name, event: 'crash', reason: msg`PHP ran out of memory.` })
    expect(await health('Down')).toMatchObject({
      status: 'Live',
      failure_reason: 'PHP ran out of memory.',
      failure_reason_i18n: { id: 'PHP ran out of memory.' },
    })
    engine.calls.length = 0
    engine.emit({ id: site.name, event: 'sleep', reason: null })
    engine.emit({ id: site.name, event: 'wake', reason: null })
    expect(await health('Up')).toMatchObject({ failure_reason: null, failure_reason_i18n: null, failure_since: null })
    // The first answer may contain the rest of its start, so the second one is measured.
    expect(engine.calls).toEqual(['request pulse', 'request pulse'])
    const before = await t.siteNow(site.name)
    await checkAwake(t.deps, t.host, site.name)
    expect((await t.siteNow(site.name))?.modified).toBe(before?.modified)
  })

  test('a sleeping site is asleep, not checked and not edited; it is measured without its start', async () => {
    const site = await t.live('owl')
    const health = (value: string) => until(t.running.documents, SiteDoctype, site.name, (doc) => doc?.health === value)
    engine.answers.push(slowAnswer, { status: 200, body: 'fine' })
    engine.emit({ id: site.name, event: 'wake', reason: null })
    await until(t.running.documents, SiteDoctype, site.name, (doc) => doc?.response_ms === 12)
    const before = await health('Up')
    engine.calls.length = 0
    engine.emit({ id: site.name, event: 'sleep', reason: null })
    expect(await health('Asleep')).toMatchObject({ modified: before?.modified, response_ms: 12 })
    // It was checked less than a minute ago.
    engine.emit({ id: site.name, event: 'wake', reason: null })
    await health('Up')
    expect(engine.calls).toEqual([])
    await checkSites(t.deps, t.host)
    expect(engine.calls).toContain('request owl')
  })

  test('a site that does not answer does not delay the checks of others', async () => {
    const [silent, other] = [await t.live('silent'), await t.live('other')]
    const answered = Promise.withResolvers<void>()
    const { request } = engine
    engine.request = async (site, ...rest) => {
      if (site.id === silent.name) await answered.promise
      if (site.id === other.name) answered.resolve()
      return request.call(engine, site, ...rest)
    }
    await checkSites(t.deps, t.host)
    engine.request = request
    expect((await t.siteNow(other.name))?.health).toBe('Up')
  })

  test('a site that slept unnoticed is asleep, and one that woke unnoticed is checked', async () => {
    const site = await t.live('mole')
    const seen = vi.spyOn(engine, 'observe')
    const state = async (value: 'asleep' | 'running') => {
      seen.mockImplementation(async () => ({ ...blankObservation, state: value }))
      await reconcile(t.deps, t.host)
      return (await t.siteNow(site.name))?.health
    }
    expect(await state('asleep')).toBe('Asleep')
    expect(await state('running')).toBe('Up')
    seen.mockRestore()
  })

  test('the last contact of a site that is down is its last answer, however often it is checked', async () => {
    const site = await t.live('contact')
    const answered = await t.siteNow(site.name)
    expect(answered?.last_answer_at).toBe(answered?.health_checked_at)
    for (const _check of [1, 2, 3]) {
      t.pass(3_600_000)
      // A failed check is confirmed by a second one.
      engine.answers.push({ status: 500, body: '' }, { status: 500, body: '' })
      await checkAwake(t.deps, t.host, site.name)
    }
    const down = await t.siteNow(site.name)
    expect(down).toMatchObject({ health: 'Down', last_answer_at: answered?.last_answer_at })
    expect(down?.health_checked_at).not.toBe(answered?.health_checked_at)
    await checkAwake(t.deps, t.host, site.name)
    expect(await t.siteNow(site.name)).toMatchObject({ health: 'Up', last_answer_at: down?.health_checked_at })
  })

  test('a problem has begun when it was first seen, and makes the site urgent', async () => {
    const site = await t.live('since')
    const healthy = await t.siteNow(site.name)
    expect(healthy).toMatchObject({ attention: 0, failure_since: null })
    await markDown(t.deps, site, msg`First.`)
    const first = await t.siteNow(site.name)
    expect(first).toMatchObject({ attention: 5 })
    expect(first?.failure_since).not.toBeNull()
    await markDown(t.deps, site, msg`Second.`)
    expect(await t.siteNow(site.name)).toMatchObject({ failure_reason: 'Second.', failure_since: first?.failure_since })
    await checkAwake(t.deps, t.host, site.name)
    expect(await t.siteNow(site.name)).toMatchObject({ attention: 0, failure_since: null })
  })
})
