import { existsSync, readdirSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { AnyDoc } from '#shared/doctype.ts'
import type { Server } from '#shared/doctypes/server.ts'
import type { Site } from '#shared/doctypes/site.ts'
import type { Session } from '#server/documents/types.ts'
import { systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { silentLog } from '#server/platform/log.ts'
import { createTestDatabase, type TestDatabase } from '../../../tests/support/database.ts'
import { createFolderEngine, type FolderEngine } from '../../../tests/support/folder-engine.ts'
import { sessionOf } from '../../../tests/support/documents.ts'
import { fastClock, makeOrganization, startTestProcess, until, untilEnded, type TestProcess } from '../../../tests/support/jobs.ts'
import { checkAwake } from './health.ts'
import { expireArchives, reconcile } from './reconcile.ts'
import { createSites } from './sites.ts'
import type { SitesDeps } from './deps.ts'

let database: TestDatabase
let folder: string
let engine: FolderEngine
let running: TestProcess
let deps: SitesDeps
let owner: Session
let other: Session
let server: Server
let otherServer: Server
let now = Date.now()

beforeAll(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'easydash-sites-'))
  engine = createFolderEngine(folder)
  running = await startTestProcess(database.database, {
    clock: fastClock(10),
    features: ({ jobs, documents }) => {
      const schedule = { add: () => undefined, start: () => undefined, stop: async () => undefined }
      deps = { documents, engines: { fake: engine }, jobs: () => ({ ...jobs, schedule }), log: silentLog, clock: { ...systemClock, now: () => now } }
      const sites = createSites(deps)
      return { controllers: sites.controllers, definitions: sites.definitions }
    },
  })
  owner = await makeOrganization(running.documents, 'acme')
  other = await makeOrganization(running.documents, 'globex')
  server = await serverOf('acme')
  otherServer = await serverOf('globex')
})
afterAll(async () => {
  await running?.stop()
  await database?.drop()
  if (folder) await rm(folder, { recursive: true, force: true })
})
beforeEach(() => {
  engine.calls.length = 0
})

const serverOf = (organization: string) =>
  running.documents.transaction(systemSession(), (tx) => tx.insert<Server>('Server', {
    organization, hostname: 'testbox', engine: 'fake', engine_host: 'fake:this', status: 'Healthy',
  }))
const values = (domain: string, more: Record<string, unknown> = {}) => ({
  domain, server: server.name, site_type: 'wp', title: "Ann's & Bob", admin_user: 'admin', admin_email: 'ann@acme.example', ...more,
})
const insert = (domain: string, more: Record<string, unknown> = {}, session = owner): Promise<AnyDoc> => running.documents.insert(session, 'Site', values(domain, more))
const siteNow = (name: string) => running.documents.transaction(systemSession(), (tx) => tx.get<Site>('Site', name))
const end = (doc: object | null) => untilEnded(running.documents, String(doc && Reflect.get(doc, 'job')))
const act = (site: string, action: string, args: Record<string, unknown> = {}, session = owner) => running.documents.runAction(session, 'Site', site, action, args)
async function live(domain: string, more: Record<string, unknown> = {}): Promise<Site> {
  const doc = await insert(domain, more)
  expect(await end(doc)).toMatchObject({ status: 'Done' })
  return (await siteNow(doc.name)) as Site
}
const refusal = (promise: Promise<unknown>) => promise.then(() => null, (error: unknown) => error as { code: string; field?: string; message: string; excType?: string })

describe('creating a site', () => {
  test('the answer names the job and the site, which goes Live after our own request', async () => {
    const doc = await insert('blog')
    expect(doc).toMatchObject({ status: 'Setting Up', url: 'http://blog.localhost:8080', locked_by_job: doc.job, createdby_email: owner.user, engine: 'fake' })
    expect(doc).not.toHaveProperty('admin_password')
    const job = await end(doc)
    expect(job).toMatchObject({ status: 'Done', label: 'Create blog', job_type: 'site.create' })
    expect(job.steps?.map((step) => step.label)).toEqual(['Prepare', 'Copy files', 'Install WordPress', 'Check the page'])
    expect(engine.calls).toEqual(['prepare blog', 'copy_files blog', 'install blog', 'request blog'])
    expect(await siteNow(doc.name)).toMatchObject({ status: 'Live', health: 'Up', response_ms: 12, wordpress_version: '6.5.5', disk_used: 1234, locked_by_job: null, failure_reason: null })
    expect(JSON.stringify(job)).not.toMatch(/password/i)
  })

  test('the admin password is 24 letters and digits, kept as a secret', async () => {
    const site = await live('secret')
    const password = await running.documents.transaction(systemSession(), (tx) => tx.secret('Site', site.name, 'admin_password'))
    expect(password).toMatch(/^[A-Za-z0-9]{24}$/)
    expect(site.admin_password).not.toBe(password)
  })

  test('plain HTML needs neither title nor admin nor PHP', async () => {
    const doc = await running.documents.insert(owner, 'Site', { domain: 'plain', server: server.name, site_type: 'html' })
    expect(doc.php_version).toBeNull()
    expect(await end(doc)).toMatchObject({ status: 'Done' })
  })

  test.each([
    ['no title', { title: '' }, 'title', 'MandatoryError'],
    ['no admin', { admin_user: null }, 'admin_user', 'MandatoryError'],
    ['no server', { server: '' }, 'server', 'MandatoryError'],
    ['a PHP version the engine lacks', { php_version: '7.4' }, 'php_version', 'ValidationError'],
    ['another organization’s server', { server: 'theirs' }, 'server', 'LinkValidationError'],
  ])('is refused with %s', async (_what, more, field, excType) => {
    const error = await refusal(insert('refused', 'server' in more && more.server === 'theirs' ? { server: otherServer.name } : more))
    expect(error).toMatchObject({ code: 'invalid', field })
    expect(error?.excType ?? 'ValidationError').toBe(excType)
  })

  test.each(['', 'x'.repeat(300), 'my blog', '../etc', "a'b", 'blоg', 'xn--bcher-kva', 'www', '*', '127.0.0.1', 'blog.', 'Blog', '-a', 'a_b'])('the name %j is refused at its field', async (name) => {
    expect(await refusal(insert(name))).toMatchObject({ code: 'invalid', field: 'domain' })
  })

  test('a server that is not healthy, and one another job holds, is refused', async () => {
    const set = (changes: Record<string, unknown>) => running.documents.transaction(systemSession(), (tx) => tx.update('Server', server.name, changes))
    await set({ status: 'Disconnected' })
    expect(await refusal(insert('refused'))).toMatchObject({ code: 'invalid', field: 'server' })
    const job = await insert('holder', { server: otherServer.name }, other)
    await set({ status: 'Healthy', locked_by_job: job.job })
    expect(await refusal(insert('refused'))).toMatchObject({ code: 'locked' })
    await set({ locked_by_job: null })
    await end(job)
  })
})

describe('names', () => {
  test('the full host name counts as the name', async () => {
    expect(await insert('full.localhost').then(async (doc) => [doc.domain, (await end(doc)).status])).toEqual(['full', 'Done'])
  })

  test('used in the organization: field error, archived too; two at once: one wins', async () => {
    const both = await Promise.allSettled([insert('twice'), insert('twice')])
    const won = both.filter((one) => one.status === 'fulfilled')
    const lost = both.filter((one) => one.status === 'rejected')
    expect([won.length, lost.length]).toEqual([1, 1])
    expect(lost[0]?.reason).toMatchObject({ code: 'invalid', field: 'domain', excType: 'UniqueValidationError' })
    const site = won[0]?.value as AnyDoc
    await end(site)
    await end(await act(site.name, 'archive', { confirm_name: 'twice' }))
    expect(await refusal(insert('twice'))).toMatchObject({ field: 'domain', message: expect.stringContaining('archived') as string })
  })

  test('held by another organization of the machine: a suffix, and nothing is learnt', async () => {
    await live('shop')
    const theirs = await insert('shop', { server: otherServer.name }, other)
    expect(theirs.domain).toMatch(/^shop-[a-z0-9]{4}$/)
    expect(theirs.url).toBe(`http://${String(theirs.domain)}.localhost:8080`)
    expect(await end(theirs)).toMatchObject({ status: 'Done' })
  })
})

describe('a creation that fails', () => {
  test.each(['prepare', 'copy-files', 'install'])('at %s: Failed with reason and next action; retry goes on; delete leaves nothing', async (at) => {
    const doc = await insert(`fail-${at}`)
    const job = await end(doc)
    expect(job).toMatchObject({ status: 'Failed', error_code: 'unavailable', next_action: 'Free some disk space, then retry.' })
    const site = (await siteNow(doc.name)) as Site
    expect(site).toMatchObject({ status: 'Failed', locked_by_job: null })
    expect(site.failure_reason).toContain('No space is left on the disk. Free some disk space, then retry.')
    expect(await refusal(act(site.name, 'archive', { confirm_name: site.domain }))).toMatchObject({ code: 'invalid' })
    await running.documents.runAction(owner, 'Job', String(doc.job), 'retry', {})
    expect(await untilEnded(running.documents, String(doc.job), ['Failed'])).toMatchObject({ status: 'Failed' })
    const deletion = await running.documents.delete(owner, 'Site', site.name)
    expect(await end(deletion)).toMatchObject({ status: 'Done', job_type: 'site.delete' })
    expect(await siteNow(site.name)).toBeNull()
    expect(readdirSync(folder).some((name) => name.startsWith(site.name))).toBe(false)
  })

  test('a page that is wrong is asked for again, and never makes the site Live', async () => {
    engine.answers.push({ status: 500, body: 'x' }, { status: 200, body: '<html><title>Another</title></html>' })
    const doc = await insert('slow-start')
    expect(await end(doc)).toMatchObject({ status: 'Done' })
    expect(engine.calls.filter((call) => call === 'request slow-start')).toHaveLength(3)
  })

  test('an error that may pass is tried again within the job', async () => {
    const doc = await insert('flaky-install')
    expect(await end(doc)).toMatchObject({ status: 'Done', attempt: 1 })
    expect(engine.calls.filter((call) => call === 'install flaky-install')).toHaveLength(3)
  })

  test('cancel: no folder and no row is left; Job and Activity stay', async () => {
    const doc = await insert('hang-install')
    await until(running.documents, 'Job', String(doc.job), () => engine.calls.includes('install hang-install'))
    expect(existsSync(join(folder, doc.name))).toBe(true)
    await running.documents.runAction(owner, 'Job', String(doc.job), 'cancel', {})
    const job = await end(doc)
    expect(job).toMatchObject({ status: 'Cancelled', outcome: 'Cancelled by Owner of acme; the site was removed', reference_title: 'hang-install' })
    expect(await siteNow(doc.name)).toBeNull()
    expect(existsSync(join(folder, doc.name))).toBe(false)
    const log = await running.documents.transaction(systemSession(), (tx) => tx.list('Activity', [['reference_name', '=', doc.name], ['job', '=', job.name]]))
    expect(log.map((entry) => entry.result)).toEqual(['Started', 'Cancelled'])
  })
})

describe('the life of a site', () => {
  test('archive, refuse changes, restore, archive, delete for good', async () => {
    const site = await live('life')
    expect(await refusal(act(site.name, 'archive', { confirm_name: 'wrong' }))).toMatchObject({ field: 'confirm_name' })
    expect(await end(await running.documents.delete(owner, 'Site', site.name))).toMatchObject({ status: 'Done', job_type: 'site.archive' })
    const archived = (await siteNow(site.name)) as Site
    expect(archived).toMatchObject({ status: 'Archived', health: 'Not Checked', locked_by_job: null })
    expect(archived.archived_at).not.toBeNull()
    const edit = running.documents.transaction(owner, (tx) => tx.update('Site', site.name, { favorite: 1 }))
    expect(await refusal(edit)).toMatchObject({ code: 'invalid', field: 'favorite', message: expect.stringContaining('archived') as string })
    expect(await refusal(act(site.name, 'login_link'))).toMatchObject({ code: 'invalid' })

    expect(await end(await act(site.name, 'restore_archive'))).toMatchObject({ status: 'Done' })
    expect(await siteNow(site.name)).toMatchObject({ status: 'Live', health: 'Up', archived_at: null })

    await end(await act(site.name, 'archive', { confirm_name: 'life' }))
    expect(await end(await running.documents.delete(owner, 'Site', site.name))).toMatchObject({ status: 'Done', job_type: 'site.delete' })
    expect(await siteNow(site.name)).toBeNull()
    expect(readdirSync(folder).some((name) => name.startsWith(site.name))).toBe(false)
  })

  test('the login link is for the mapped user, 30 seconds, and on record', async () => {
    const site = await live('login')
    expect(await act(site.name, 'login_link')).toEqual({ url: 'http://login.localhost:8080/login?user=admin&ttl=30&token=once' })
    const log = await running.documents.transaction(systemSession(), (tx) => tx.list('Activity', [['reference_name', '=', site.name], ['action', '=', 'Site.login_link']]))
    expect(log).toHaveLength(1)
    expect(JSON.stringify(log)).not.toContain('once')
    expect(await refusal(act(site.name, 'login_link', {}, sessionOf('nobody@acme.example', 'acme')))).toMatchObject({ code: 'not_found' })
  })

  test('another PHP version; one the site fails with is taken back', async () => {
    const site = await live('php', { php_version: '8.3' })
    expect(await end(await act(site.name, 'set_php_version', { php_version: '8.5' }))).toMatchObject({ status: 'Done' })
    expect(await siteNow(site.name)).toMatchObject({ status: 'Live', php_version: '8.5' })
    expect(await refusal(act(site.name, 'set_php_version', { php_version: '8.5' }))).toMatchObject({ field: 'php_version' })
    expect(await refusal(running.documents.save(owner, 'Site', site.name, { php_version: '8.2' }))).toMatchObject({ code: 'invalid', field: 'php_version' })
    engine.answers.push(...Array.from({ length: 5 }, () => ({ status: 500, body: '' })))
    const job = await end(await act(site.name, 'set_php_version', { php_version: '8.2' }))
    expect(job).toMatchObject({ status: 'Failed' })
    expect(engine.calls.at(-1)).toBe('php 8.5 php')
    expect(await siteNow(site.name)).toMatchObject({ status: 'Live', php_version: '8.5', locked_by_job: null })
  })

  test('while a job holds the site every action names it', async () => {
    const site = await live('hang-pack')
    const job = await act(site.name, 'archive', { confirm_name: 'hang-pack' })
    await until(running.documents, 'Job', String(job?.job), () => engine.calls.includes('pack hang-pack'))
    const error = await refusal(running.documents.delete(owner, 'Site', site.name))
    expect(error).toMatchObject({ code: 'locked', message: expect.stringContaining('Archive hang-pack') as string })
    await running.documents.runAction(owner, 'Job', String(job?.job), 'cancel', {})
    expect(await end(job)).toMatchObject({ status: 'Cancelled', outcome: expect.stringContaining('the site stays as it was') as string })
    expect(await siteNow(site.name)).toMatchObject({ status: 'Live', locked_by_job: null })
  })

  test('the archive ends after 30 days, not before', async () => {
    const site = await live('old')
    await end(await act(site.name, 'archive', { confirm_name: 'old' }))
    now += 29 * 86_400_000
    await expireArchives(deps)
    expect(await siteNow(site.name)).toMatchObject({ status: 'Archived', locked_by_job: null })
    now += 86_400_000 + 60_000
    await expireArchives(deps)
    await until<Site>(running.documents, 'Site', site.name, (doc) => doc === null)
    expect(readdirSync(folder).some((name) => name.startsWith(site.name))).toBe(false)
  })
})

describe('documents and reality', () => {
  test('what the engine holds without a document goes, if this database ever knew it', async () => {
    const doc = await insert('fail-copy-files-2')
    await end(doc)
    await running.documents.transaction(systemSession(), (tx) => tx.delete('Site', doc.name))
    await mkdir(join(folder, 'foreign123'))
    await reconcile(deps, engine, 'fake:this')
    expect(existsSync(join(folder, doc.name))).toBe(false)
    expect(existsSync(join(folder, 'foreign123'))).toBe(true)
    await rm(join(folder, 'foreign123'), { recursive: true })
  })

  test('a site whose job is gone is failed and free; one that crashed says why; one that answers again is Up', async () => {
    const site = await live('reality')
    const job = await running.documents.transaction(systemSession(), (tx) => tx.list('Job', [['reference_name', '=', site.name]]))
    await running.documents.transaction(systemSession(), (tx) => tx.update('Site', site.name, { status: 'Archiving', locked_by_job: job[0]?.name }, { hooks: false }))
    await reconcile(deps, engine, 'fake:this')
    expect(await siteNow(site.name)).toMatchObject({ status: 'Failed', locked_by_job: null, failure_reason: expect.stringContaining('interrupted') as string })

    await running.documents.transaction(systemSession(), (tx) => tx.update('Site', site.name, { status: 'Live', failure_reason: null }, { hooks: false }))
    engine.crashed.set(site.name, 'It needed more than 768 MB.')
    await reconcile(deps, engine, 'fake:this')
    expect(await siteNow(site.name)).toMatchObject({ status: 'Live', health: 'Down', failure_reason: 'It needed more than 768 MB.' })
    engine.crashed.clear()
    await checkAwake(deps, engine, site.name)
    expect(await siteNow(site.name)).toMatchObject({ status: 'Live', health: 'Up', failure_reason: null })
  })
})
