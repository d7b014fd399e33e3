import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Session } from '#server/contracts/session.ts'
import type { CapabilityName } from '#server/engines/engine.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { AnyDoc } from '#shared/doctype.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { until, untilEnded } from '#tests/support/jobs.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'

let t: TestSites
let engine: TestSites['engine']
let owner: Session
let lacking: Partial<Record<CapabilityName, string>> = {}

beforeAll(async () => {
  t = await openTestSites([], { lacks: () => lacking })
  engine = t.engine
  owner = t.owner
})
afterAll(() => t?.close())
beforeEach(() => {
  engine.calls.length = 0
  lacking = {}
})

describe('creating a site', () => {
  test('the answer names the job and the site, which goes Live after our own request', async () => {
    const doc = await t.insert('blog')
    expect(doc).toMatchObject({
      status: 'Setting Up',
      url: 'http://blog.localhost:8080',
      locked_by_job: doc.job,
      createdby_email: owner.user,
      engine: 'fake',
    })
    expect(doc).not.toHaveProperty('admin_password')
    const job = await t.end(doc)
    expect(job).toMatchObject({ status: 'Done', label: "Create Ann's & Bob", job_type: 'site.create' })
    expect(job.shared_server).toBe(t.server.name)
    expect(job.steps?.map((step) => step.label)).toEqual([
      'Prepare WordPress',
      'Copy WordPress files',
      'Start PHP',
      'Install WordPress',
      'Check that the site answers',
      'Load the homepage',
    ])
    // The first answer is checked, the second one is measured.
    expect(engine.calls).toEqual(['request blog', 'request blog'])
    expect(await t.siteNow(doc.name)).toMatchObject({
      status: 'Live',
      health: 'Up',
      response_ms: 1,
      wordpress_version: '6.5.5',
      disk_used: 60_000_000,
      locked_by_job: null,
      failure_reason: null,
    })
    expect(JSON.stringify(job)).not.toMatch(/password/i)
  })

  test('the admin password is 24 letters and digits, kept as a secret', async () => {
    const site = await t.live('secret')
    const password = await t.running.documents.transaction(systemSession(), (tx) =>
      tx.secret(SiteDoctype, site.name, 'admin_password'),
    )
    expect(password).toMatch(/^[A-Za-z0-9]{24}$/)
    expect(site.admin_password).not.toBe(password)
  })

  test('WordPress is made in the language and of the version that were chosen', async () => {
    const site = await t.live('chosen', { initial_locale: 'de_DE', initial_version: '6.7.2' })
    expect(site).toMatchObject({ wordpress_version: '6.7.2', initial_locale: 'de_DE' })
  })

  test.each([
    ['initial_locale', 'de_DE'],
    ['initial_version', '6.7.2'],
  ])('%s is refused where its server has no choice', async (field, value) => {
    lacking = { wordpress_choice: 'Not on this server.' }
    const error = await rejectionOf(t.insert('refused', { [field]: value }))
    expect(error).toMatchObject({ code: 'unsupported', field, message: 'Not on this server.' })
  })

  test('plain HTML needs neither title nor admin nor PHP', async () => {
    const doc = await t.running.documents.insert(owner, 'Site', {
      domain: 'plain',
      server: t.server.name,
      site_type: 'html',
    })
    expect(doc.php_version).toBeNull()
    expect(await t.end(doc)).toMatchObject({ status: 'Done' })
  })

  test.each([
    ['no title', { title: '' }, 'title', 'MandatoryError'],
    ['no admin', { admin_user: null }, 'admin_user', 'MandatoryError'],
    ['no server', { server: '' }, 'server', 'MandatoryError'],
    ['a PHP version the engine lacks', { php_version: '7.4' }, 'php_version', 'ValidationError'],
    ['a database of its own for a WordPress', { with_database: 1 }, 'with_database', 'ValidationError'],
    ['a language that is none', { initial_locale: "de'" }, 'initial_locale', 'ValidationError'],
    ['a version of WordPress that is none', { initial_version: 'nightly' }, 'initial_version', 'ValidationError'],
    ['a language for PHP', { site_type: 'php', initial_locale: 'de_DE' }, 'initial_locale', 'ValidationError'],
    ['another organization’s server', { server: 'theirs' }, 'server', 'LinkValidationError'],
  ])('is refused with %s', async (_what, more, field, excType) => {
    const error = await rejectionOf(
      t.insert('refused', 'server' in more && more.server === 'theirs' ? { server: t.otherServer.name } : more),
    )
    expect(error).toMatchObject({ code: 'invalid', field })
    expect(error?.excType ?? 'ValidationError').toBe(excType)
  })

  test.each([
    '',
    'x'.repeat(300),
    'my blog',
    '../etc',
    "a'b",
    'blоg',
    'xn--bcher-kva',
    'www',
    '*',
    '127.0.0.1',
    'blog.',
    'Blog',
    '-a',
    'a_b',
    'bl\u200Bog',
    'blog\u202E',
  ])('the name %j is refused at its field', async (name) => {
    expect(await rejectionOf(t.insert(name))).toMatchObject({ code: 'invalid', field: 'domain' })
  })

  test('a server that is not healthy, and one another job holds, is refused', async () => {
    const set = (changes: Record<string, unknown>) =>
      t.running.documents.transaction(systemSession(), (tx) => tx.update(ServerDoctype, t.server.name, changes))
    await set({ status: 'Disconnected' })
    expect(await rejectionOf(t.insert('refused'))).toMatchObject({ code: 'invalid', field: 'server' })
    const job = await t.insert('holder', { server: t.otherServer.name }, t.other)
    await set({ status: 'Healthy', locked_by_job: job.job })
    expect(await rejectionOf(t.insert('refused'))).toMatchObject({ code: 'locked' })
    await set({ locked_by_job: null })
    await t.end(job)
  })
})

describe('names', () => {
  test('the full host name counts as the name', async () => {
    expect(await t.insert('full.localhost').then(async (doc) => [doc.domain, (await t.end(doc)).status])).toEqual([
      'full',
      'Done',
    ])
  })

  test('used in the organization: field error, archived too; of two concurrent ones one wins', async () => {
    const both = await Promise.allSettled([t.insert('twice'), t.insert('twice')])
    const won = both.filter((one) => one.status === 'fulfilled')
    const lost = both.filter((one) => one.status === 'rejected')
    expect([won.length, lost.length]).toEqual([1, 1])
    expect(lost[0]?.reason).toMatchObject({ code: 'invalid', field: 'domain', excType: 'UniqueValidationError' })
    const site = won[0]?.value as AnyDoc
    await t.end(site)
    await t.end(await t.act(site.name, 'archive', { confirm_name: 'twice' }))
    expect(await rejectionOf(t.insert('twice'))).toMatchObject({
      field: 'domain',
      message: expect.stringContaining('archived') as string,
    })
  })

  test('held by another organization of the machine: a suffix, and nothing is learnt', async () => {
    await t.live('shop')
    const theirs = await t.insert('shop', { server: t.otherServer.name }, t.other)
    expect(theirs.domain).toMatch(/^shop-[a-z0-9]{4}$/)
    expect(theirs.url).toBe(`http://${String(theirs.domain)}.localhost:8080`)
    expect(await t.end(theirs)).toMatchObject({ status: 'Done' })
  })
})

describe('a creation that fails', () => {
  test.each(['prepare-core', 'copy-files', 'check'])(
    'at %s: Failed with reason and next action; retry goes on; delete leaves nothing',
    async (at) => {
      const doc = await t.insert(`fail-${at}`)
      const job = await t.end(doc)
      expect(job).toMatchObject({
        status: 'Failed',
        error_code: 'unavailable',
        next_action: 'Choose another name.',
      })
      const site = (await t.siteNow(doc.name)) as Site
      expect(site).toMatchObject({ status: 'Failed', locked_by_job: null })
      expect(site.failure_reason).toContain('failed on purpose. Choose another name.')
      expect(await rejectionOf(t.act(site.name, 'archive', { confirm_name: site.domain }))).toMatchObject({
        code: 'invalid',
      })
      await t.running.documents.runAction(owner, 'Job', String(doc.job), 'retry', {})
      expect(await untilEnded(t.running.documents, String(doc.job), ['Failed'])).toMatchObject({ status: 'Failed' })
      const deletion = await t.running.documents.delete(owner, 'Site', site.name)
      expect(await t.end(deletion)).toMatchObject({ status: 'Done', job_type: 'site.delete' })
      expect(await t.siteNow(site.name)).toBeNull()
      expect(engine.traces()).not.toContain(site.name)
    },
  )

  test('loads a wrong page again before the site is Live', async () => {
    engine.answers.push({ status: 500, body: 'x' }, { status: 200, body: '<html><title>Another</title></html>' })
    const doc = await t.insert('slow-start')
    expect(await t.end(doc)).toMatchObject({ status: 'Done' })
    expect(engine.calls.filter((call) => call === 'request slow-start')).toHaveLength(4)
  })

  test('retries a temporary error within the job', async () => {
    const doc = await t.insert('flaky-install')
    expect(await t.end(doc)).toMatchObject({ status: 'Done', attempt: 1 })
    expect(engine.begun.filter((step) => step === 'flaky-install:install')).toHaveLength(2)
  })

  test('cancel: no trace and no row is left; Job and Activity stay', async () => {
    const doc = await t.insert('hang-install')
    await until(t.running.documents, 'Job', String(doc.job), () => engine.begun.includes('hang-install:install'))
    expect(engine.traces()).toContain(doc.name)
    await t.running.documents.runAction(owner, 'Job', String(doc.job), 'cancel', {})
    const job = await t.end(doc)
    expect(job).toMatchObject({
      status: 'Cancelled',
      outcome: 'Canceled by Owner of acme; the site was removed',
      reference_title: "Ann's & Bob",
      reference_address: 'hang-install',
    })
    expect(await t.siteNow(doc.name)).toBeNull()
    expect(engine.traces()).not.toContain(doc.name)
    const log = await t.running.documents.transaction(systemSession(), (tx) =>
      tx.list(ActivityDoctype, [
        ['reference_name', '=', doc.name],
        ['job', '=', job.name],
      ]),
    )
    // One act: what asked for it, its start and its end.
    expect(log.map(({ action, result }) => `${action} ${result}`)).toEqual([
      'Site.insert Started',
      'site.create Started',
      'site.create Cancelled',
    ])
  })
})

test('with several machines a site on a remote server is created by any of their processes', async () => {
  const shared = await openTestSites([], { machine: 'elsewhere', reach: 'network' })
  try {
    expect((await shared.live('remote')).status).toBe('Live')
  } finally {
    await shared.close()
  }
})
