import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Controller } from '#server/contracts/controller.ts'
import type { Session } from '#server/contracts/session.ts'
import { thisMachine } from '#server/engines/site-ref.ts'
import { systemSession } from '#server/jobs/session.ts'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { sessionOf } from '#tests/support/documents.ts'
import { until, untilEnded } from '#tests/support/jobs.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { siteRef } from '../engine-of.ts'

let t: TestSites
let source: Site
let mia: Session
/** Stands for the limit of the plan, which a feature of its own checks at every insert. */
let full = false
const limit: Controller = {
  doctype: 'Site',
  async guard(_doc, before) {
    if (full && before === null) throw new AppError('limit_reached', msg`The plan has no room.`)
  },
}

const system = <T>(work: Parameters<ReturnType<TestSites['deps']['documents']>['transaction']>[1]) =>
  t.running.documents.transaction(systemSession(), work) as Promise<T>
const clone = (domain: string, more: Record<string, unknown> = {}, session: Session = t.owner) =>
  t.act(source.name, 'clone', { domain, ...more }, session)
const named = (domain: string) => system<Site | null>((tx) => tx.find(SiteDoctype, [['domain', '=', domain]]))
const setServer = (values: Record<string, unknown>) =>
  system((tx) => tx.update(ServerDoctype, t.server.name, values, { hooks: false }))

/** Rows of a job in the activity of a site. */
async function rowsOf(site: string, job: string): Promise<string[]> {
  const filters = [...(ActivityDoctype.list?.filters ?? []), ['reference_name', '=', site], ['job', '=', job]]
  const fields = ['action', 'detail', 'result']
  const rows = await t.running.documents.list(t.owner, 'Activity', { fields, filters })
  return rows.map((row) => `${String(row['action'])} ${String(row['detail'])} ${String(row['result'])}`)
}

beforeAll(async () => {
  t = await openTestSites([limit])
  source = await t.live('original')
  await system(async (tx) => {
    const user = {
      email: 'mia@acme.example',
      first_name: 'Mia',
      enabled: 1,
      email_verified: 1,
      roles: ['Easydash User'],
    }
    await tx.insert('User', user)
    await tx.insert(OrganizationMemberDoctype, {
      parent: 'acme',
      parenttype: 'Organization',
      parentfield: 'members',
      user: 'mia@acme.example',
      organization_role: 'Organization User',
    })
  })
  mia = sessionOf('mia@acme.example', 'acme')
})
afterAll(() => t?.close())

test('a clone is a new site of its own, and both logs tell it', async () => {
  await t.act(source.name, 'set_http_auth', { enabled: 1 })
  source = (await t.siteNow(source.name)) as Site
  const result = await clone('copied', { title: 'A copy' })
  const job = await t.end(result)
  expect(job).toMatchObject({ status: 'Done', label: "Clone Ann's & Bob to A copy", reference_name: result?.['name'] })
  expect(job.steps?.map(({ label }) => label)).toEqual([
    'Copy files and database',
    'Replace the address',
    'Give it keys and users of its own',
    'Check that the site answers',
    'Load the homepage',
  ])
  const made = (await t.siteNow(String(result?.['name']))) as Site
  expect(made).toMatchObject({
    domain: 'copied',
    title: 'A copy',
    status: 'Live',
    health: 'Up',
    cloned_from: source.name,
    admin_user: 'admin',
    admin_password: null,
    owner: t.owner.user,
    php_version: source.php_version,
    http_auth_user: source.http_auth_user,
  })
  const secret = (name: string) => system((tx) => tx.secret(SiteDoctype, name, 'http_auth_password'))
  expect(await secret(made.name)).toBe(await secret(source.name))
  expect(await t.siteNow(source.name)).toMatchObject({ status: 'Live', locked_by_job: null, title: source.title })
  expect(await rowsOf(source.name, job.name)).toEqual(['Site.clone to copied Done'])
  expect(await rowsOf(made.name, job.name)).toEqual(["site.clone from Ann's & Bob Done"])
})

test('what is running is one row of either log, and what it ends as takes its place', async () => {
  const result = await clone('hang-settle')
  const [job, made] = [String(result?.['job']), String(result?.['name'])]
  await until(t.running.documents, 'Job', job, () => t.engine.begun.includes('hang-settle:settle'))
  expect(await rowsOf(source.name, job)).toEqual(['Site.clone to hang-settle Started'])
  expect(await rowsOf(made, job)).toEqual(["site.clone from Ann's & Bob Started"])
  await t.running.documents.runAction(t.owner, 'Job', job, 'cancel', {})
  expect(await t.end(result)).toMatchObject({ status: 'Cancelled' })
  expect(await rowsOf(source.name, job)).toEqual(['Site.clone to hang-settle Cancelled'])
})

test('what is refused for new sites is refused for clones, and nothing is left', async () => {
  expect(await rejectionOf(clone('original'))).toMatchObject({ code: 'invalid', field: 'domain' })
  expect(await rejectionOf(clone('no valid name'))).toMatchObject({ code: 'invalid', field: 'domain' })
  expect(await rejectionOf(clone(''))).toMatchObject({ code: 'invalid', field: 'domain' })
  for (const server of [t.otherServer.name, 'nothing'])
    expect(await rejectionOf(clone('elsewhere', { server }))).toMatchObject({ field: 'server' })
  await setServer({ status: 'Disconnected' })
  expect(await rejectionOf(clone('elsewhere'))).toMatchObject({ code: 'invalid', field: 'server' })
  await setServer({ status: 'Healthy' })
  full = true
  expect(await rejectionOf(clone('elsewhere'))).toMatchObject({ code: 'limit_reached' })
  full = false
  expect(await named('elsewhere')).toBeNull()
})

test('a client cannot claim that a site is a clone', async () => {
  const made = await t.insert('honest', { cloned_from: source.name })
  await t.end(made)
  expect(await t.siteNow(made.name)).toMatchObject({ cloned_from: null })
})

test.each([
  [{ read: 1, write: 0, share: 0 }, 'production', false],
  [{ read: 1, write: 0, share: 0 }, 'development', false],
  [{ read: 1, write: 1, share: 0 }, 'production', false],
  [{ read: 1, write: 1, share: 0 }, 'development', true],
  // Who can manage a site can edit it.
  [{ read: 1, write: 0, share: 1 }, 'development', true],
] as const)('a member with %o of a site on a %s server', async (bits, category, allowed) => {
  await setServer({ server_category: category })
  await t.act(source.name, 'share', { user: mia.user, ...bits })
  const domain = `of-mia-${category}-${Object.values(bits).join('')}`
  const attempt = clone(domain, {}, mia)
  if (allowed) {
    expect(await t.end(await attempt)).toMatchObject({ status: 'Done', error_message: null })
    expect(await named(domain)).toMatchObject({ owner: mia.user, status: 'Live' })
  } else {
    expect(await rejectionOf(attempt)).toMatchObject({ code: 'forbidden' })
    expect(await named(domain)).toBeNull()
  }
  await t.act(source.name, 'unshare', { user: mia.user })
})

test('a copy that fails is Failed with the reason, can be retried, and deleting it leaves nothing', async () => {
  const result = await clone('fail-replace-urls')
  const name = String(result?.['name'])
  expect(await t.end(result)).toMatchObject({ status: 'Failed', error_code: 'unavailable' })
  expect(await t.siteNow(name)).toMatchObject({ status: 'Failed', locked_by_job: null })
  const retry = () => t.running.documents.runAction(t.owner, 'Job', String(result?.['job']), 'retry', {})
  const lock = (locked_by_job: string | null) =>
    system((tx) => tx.update(SiteDoctype, source.name, { locked_by_job }, { hooks: false, activity: false }))
  await lock(String(result?.['job']))
  expect(await rejectionOf(retry()), 'what goes on with the source comes first').toMatchObject({ code: 'locked' })
  await lock(null)
  await retry()
  expect(await untilEnded(t.running.documents, String(result?.['job']), ['Failed'])).toMatchObject({ status: 'Failed' })
  expect(await t.end(await t.running.documents.delete(t.owner, 'Site', name))).toMatchObject({ status: 'Done' })
  expect(t.engine.traces()).not.toContain(name)
  expect(await t.siteNow(source.name)).toMatchObject({ status: 'Live' })
})

test('the document says which database the copy has, also if the source was moved meanwhile', async () => {
  const { databaseMoves } = t.engine
  const ref = siteRef(source, thisMachine)
  const move = async (to: 'mysql' | 'sqlite') => {
    for (const step of databaseMoves.steps(ref, to))
      await step.run({
        operationId: 'op',
        log: () => undefined,
        progress: () => undefined,
        signal: new AbortController().signal,
      })
    await databaseMoves.finish(ref)
  }
  await move('mysql')
  const result = await clone('moved-source')
  expect(await t.end(result)).toMatchObject({ status: 'Done' })
  expect(await t.siteNow(String(result?.['name']))).toMatchObject({ database: 'mysql' })
  await move('sqlite')
})

test('a canceled clone leaves neither row nor files', async () => {
  const result = await clone('hang-settle')
  await until(t.running.documents, 'Job', String(result?.['job']), () => t.engine.begun.includes('hang-settle:settle'))
  await t.running.documents.runAction(t.owner, 'Job', String(result?.['job']), 'cancel', {})
  expect(await t.end(result)).toMatchObject({ status: 'Cancelled' })
  expect(await t.siteNow(String(result?.['name']))).toBeNull()
  expect(t.engine.traces()).not.toContain(result?.['name'])
})

test('while a job works on a site, its clone waits; what is wrong with it is refused at once', async () => {
  const job = await clone('holder')
  await system((tx) =>
    tx.update(SiteDoctype, source.name, { locked_by_job: String(job?.['job']) }, { hooks: false, activity: false }),
  )
  expect(await rejectionOf(clone('original'))).toMatchObject({ code: 'invalid', field: 'domain' })
  const waiting = await clone('second')
  expect(waiting?.['name']).toBeUndefined()
  const name = String(waiting?.['job'])
  expect(await system((tx) => tx.get(JobDoctype, name))).toMatchObject({
    ...{ status: 'Queued', job_type: 'site.clone', label: "Clone Ann's & Bob to second", waits_for: job?.['job'] },
    ...{ reference_name: source.name, reference_title: "Ann's & Bob", reference_address: 'original' },
  })
  expect(await named('second')).toBeNull()
  await t.end(job)
  await system((tx) => tx.update(SiteDoctype, source.name, { locked_by_job: null }, { hooks: false, activity: false }))
  expect(await t.end(waiting)).toMatchObject({ status: 'Done', waits_for: null })
  expect(await named('second')).toMatchObject({ status: 'Live', cloned_from: source.name })
})

test('a site that is not live is not cloned', async () => {
  await system((tx) => tx.update(SiteDoctype, source.name, { status: 'Failed' }, { hooks: false, activity: false }))
  expect(await rejectionOf(clone('second'))).toMatchObject({ code: 'invalid', field: 'status' })
  await system((tx) => tx.update(SiteDoctype, source.name, { status: 'Live' }, { hooks: false, activity: false }))
})

test('the source can be archived and deleted; the clone stays', async () => {
  const other = await t.live('short-lived')
  const result = await t.act(other.name, 'clone', { domain: 'survivor' })
  await t.end(result)
  await t.end(await t.act(other.name, 'archive', { confirm_name: 'short-lived' }))
  await t.end(await t.act(other.name, 'delete_permanently', { confirm_name: 'short-lived' }))
  expect(await t.siteNow(other.name)).toBeNull()
  expect(await t.siteNow(String(result?.['name']))).toMatchObject({ status: 'Live', cloned_from: other.name })
})

test('what the engine can’t copy is refused before a copy is there, with the reason and the way out', async () => {
  const network = await t.live('whole-network', { multisite: 'subdir' })
  const shop = await t.live('php-shop', { site_type: 'php' })
  await system((tx) => tx.update(SiteDoctype, shop.name, { with_database: 1 }, { hooks: false, activity: false }))
  const { copies } = t.host.engine
  const before = copies.refusal
  const asked: unknown[] = []
  const refusal: typeof before = (of) => {
    asked.push(of)
    return { reason: msg`It stays here.`, nextAction: msg`Restore its backup.` }
  }
  Object.assign(copies, { refusal })
  try {
    const refused = { code: 'unsupported', message: 'It stays here.', nextAction: { text: 'Restore its backup.' } }
    expect(await rejectionOf(t.act(network.name, 'clone', { domain: 'stays-here' }))).toMatchObject(refused)
    expect(await rejectionOf(t.act(shop.name, 'create_staging', { domain: 'stays-here' }))).toMatchObject(refused)
    expect(asked).toEqual([
      { isNetwork: true, hasOwnDatabase: false, isStaging: false },
      { isNetwork: false, hasOwnDatabase: true, isStaging: true },
    ])
    expect(await named('stays-here')).toBeNull()
  } finally {
    Object.assign(copies, { refusal: before })
  }
})
