import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Controller } from '#server/contracts/controller.ts'
import type { Session } from '#server/contracts/session.ts'
import { JobDoctype, type Job } from '#shared/doctypes/job.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { createProductDatabase, type TestDatabase } from '#tests/support/database.ts'
import { sessionOf } from '#tests/support/documents.ts'
import {
  addMember,
  jobNow,
  makeOrganization,
  startTestProcess,
  until,
  untilEnded,
  type TestProcess,
} from '#tests/support/jobs.ts'
import { formatTimestamp, systemClock } from './clock.ts'
import { held, ran, running, started } from '#tests/support/held-jobs.ts'
import { systemSession } from './session.ts'
import { maxWaitingPerDocument } from './waiting-jobs.ts'

let database: TestDatabase
let processes: TestProcess[]
let one: TestProcess
let owner: Session
let site: string
/** What the handler of the action says when it is called, which can change while a job waits. */
let refusal: AppError | null
/** How far the clock of the jobs is ahead. */
let passed = 0

/** Actions of a site that start a job; what they write before that must not stay when they have to wait. */
const actions = (jobs: () => TestProcess['jobs']): Controller => ({
  doctype: 'Site',
  actions: Object.fromEntries(
    ['flush_cache_job', 'archive', 'convert_to_network', 'set_php_version', 'delete_permanently'].map((action) => [
      action,
      async (doc, args, { tx }) => {
        if (refusal) started.emit('refused')
        if (refusal) throw refusal
        await tx.updateColumns(SiteDoctype, String(doc.name), { title: `by ${action}` })
        return {
          job: await jobs().enqueue(tx, {
            type: `test.${action}`,
            organization: 'acme',
            reference_doctype: 'Site',
            reference_name: String(doc.name),
            reference_title: 'shop',
            args: { ...args },
          }),
        }
      },
    ]),
  ) as NonNullable<Controller['actions']>,
})

async function open(): Promise<TestProcess> {
  const definitions = ['flush_cache_job', 'archive', 'convert_to_network', 'set_php_version'].map((action) =>
    held(`test.${action}`),
  )
  const opened: TestProcess = await startTestProcess(database.database, {
    definitions,
    controllers: [actions(() => opened.jobs)],
    clock: { ...systemClock, now: () => Date.now() + passed },
  })
  processes.push(opened)
  return opened
}

const asSystem = <T>(fn: Parameters<TestProcess['documents']['transaction']>[1]) =>
  one.documents.transaction(systemSession(), fn) as Promise<T>

beforeAll(async () => {
  database = await createProductDatabase()
  processes = []
  one = await open()
  owner = await makeOrganization(one.documents, 'acme')
})
beforeEach(async () => {
  refusal = null
  ran.length = 0
  const made = await one.documents.transaction(systemSession(), (tx) =>
    tx.insert(
      SiteDoctype,
      {
        organization: 'acme',
        domain: `shop-${Math.random().toString(36).slice(2)}.example`,
        title: 'Shop',
        server: 'none',
        engine: 'fake',
        engine_host: 'fake:1',
        site_type: 'wp',
        php_version: '8.3',
        status: 'Live',
      },
      { owner: owner.user },
    ),
  )
  site = made.name
})
afterEach(async () => {
  const left = await asSystem<Job[]>((tx) => tx.list(JobDoctype, [['status', 'in', ['Queued', 'Running']]]))
  for (const { name } of left.toReversed())
    if (!running.has(name)) await one.documents.runAction(owner, 'Job', name, 'cancel', {})
  for (const go of running.values()) go()
  for (const { name } of left) await untilEnded(one.documents, name)
})
afterAll(async () => {
  await Promise.all(processes.map((each) => each.stop()))
  await database?.drop()
})

const begin = async (action: string, args = {}, by = owner, at = one): Promise<string> =>
  String(Reflect.get((await at.documents.runAction(by, 'Site', site, action, args)) ?? {}, 'job'))
const siteNow = () => asSystem<{ title: string; locked_by_job: string | null }>((tx) => tx.get(SiteDoctype, site))

async function untilRuns(job: string): Promise<void> {
  while (!running.has(job)) await once(started, 'step')
}
async function finish(job: string): Promise<void> {
  await untilRuns(job)
  running.get(job)?.()
  await untilEnded(one.documents, job)
}

test('a second action waits for the first, says for what, and runs after it', async () => {
  const first = await begin('flush_cache_job')
  await untilRuns(first)
  const second = await begin('set_php_version', { php_version: '8.4' })
  expect(await jobNow(one.documents, second)).toMatchObject({
    status: 'Queued',
    label: 'test.set_php_version shop',
    reference_name: site,
    waits_for: first,
    waits_for_label: 'test.flush_cache_job shop',
    owner: owner.user,
  })
  expect((await siteNow()).title, 'what the action wrote is undone').toBe('by flush_cache_job')
  await finish(first)
  await untilRuns(second)
  expect(await jobNow(one.documents, second)).toMatchObject({ status: 'Running', waits_for: null, waiting_call: null })
  expect(await siteNow()).toMatchObject({ title: 'by set_php_version', locked_by_job: second })
  await finish(second)
  expect(await jobNow(one.documents, second)).toMatchObject({ status: 'Done', args: { php_version: '8.4' } })
  expect(ran).toEqual([first, second])
})

test('it waits, too, while the other job has changed the status, and is refused in a status that does not pass', async () => {
  const first = await begin('flush_cache_job')
  await untilRuns(first)
  await asSystem((tx) => tx.updateColumns(SiteDoctype, site, { status: 'Updating' }))
  const second = await begin('archive', { confirm_name: await domain() })
  expect(await jobNow(one.documents, second)).toMatchObject({ status: 'Queued', waits_for: first })
  const refused = begin('delete_permanently', { confirm_name: await domain() })
  await expect(refused, 'not of a live site').rejects.toMatchObject({ code: 'invalid' })
  await asSystem((tx) => tx.updateColumns(SiteDoctype, site, { status: 'Archiving' }))
  await expect(begin('set_php_version', { php_version: '8.4' })).rejects.toMatchObject({
    code: 'invalid',
    message: 'Change PHP version is not possible while the site is Archiving.',
    nextAction: { text: '“test.flush_cache_job shop” is still running. Wait for it or cancel it.' },
  })
  await asSystem((tx) => tx.updateColumns(SiteDoctype, site, { status: 'Live' }))
  await finish(first)
  await finish(second)
  // No job holds it, so nothing passes by itself.
  await asSystem((tx) => tx.updateColumns(SiteDoctype, site, { status: 'Updating' }))
  await expect(begin('set_php_version', { php_version: '8.4' })).rejects.toMatchObject({ code: 'invalid' })
})

test('several run in the order in which they were called, also with two processes', async () => {
  const two = await open()
  const jobs = [await begin('flush_cache_job')]
  for (const at of [one, two, one]) jobs.push(await begin('archive', { confirm_name: await domain() }, owner, at))
  for (const [at, job] of jobs.entries()) {
    await untilRuns(job)
    expect([...running.keys()]).toEqual([job])
    const next = jobs[at + 1]
    const after = jobs[at + 2]
    if (next) expect((await jobNow(one.documents, next))?.waits_for).toBe(job)
    await finish(job)
    if (next && after) {
      await untilRuns(next)
      await until(one.documents, JobDoctype, after, (doc) => doc?.waits_for === next)
    }
  }
  expect(ran).toEqual(jobs)
})

const domain = async () => (await asSystem<{ domain: string }>((tx) => tx.get(SiteDoctype, site))).domain

test('an action that comes when others wait already does not overtake them', async () => {
  const first = await begin('flush_cache_job')
  const second = await begin('set_php_version', { php_version: '8.4' })
  // As between the end of the first and the start of the second.
  await asSystem((tx) => tx.updateColumns(SiteDoctype, site, { locked_by_job: null }))
  const third = await begin('flush_cache_job')
  expect(await jobNow(one.documents, third)).toMatchObject({ status: 'Queued', waits_for: second })
  await finish(first)
  await finish(second)
  await finish(third)
  expect(ran).toEqual([first, second, third])
})

test('an action that is no longer possible when it is its turn fails with the reason, and can be retried', async () => {
  const first = await begin('flush_cache_job')
  const second = await begin('set_php_version', { php_version: '8.4' })
  await untilRuns(first)
  refusal = new AppError('invalid', msg`The site already runs PHP ${'8.4'}.`)
  await finish(first)
  expect(await untilEnded(one.documents, second)).toMatchObject({
    status: 'Failed',
    error_code: 'invalid',
    error_message: 'The site already runs PHP 8.4.',
    waits_for: null,
  })
  expect((await siteNow()).locked_by_job).toBeNull()
  refusal = null
  await one.documents.runAction(owner, 'Job', second, 'retry', {})
  await finish(second)
  expect(await jobNow(one.documents, second)).toMatchObject({ status: 'Done', error_message: null })
})

test('a call that stays unavailable ends its job as failed after a while, with Retry; a short time without it does not', async () => {
  const first = await begin('flush_cache_job')
  const second = await begin('set_php_version', { php_version: '8.4' })
  await untilRuns(first)
  refusal = new AppError('unavailable', msg`The engine does not answer.`, { nextAction: msg`Start it.` })
  await finish(first)
  await until(one.documents, JobDoctype, second, (doc) => doc?.unavailable_since !== null)
  passed += 14 * 60_000
  // The second call is made after what the first one decided.
  for (let n = 0; n < 2; n += 1) await once(started, 'refused')
  expect(await jobNow(one.documents, second)).toMatchObject({ status: 'Queued' })
  passed += 2 * 60_000
  expect(await untilEnded(one.documents, second)).toMatchObject({
    status: 'Failed',
    error_code: 'unavailable',
    error_message: 'The engine does not answer.',
    next_action: 'Start it.',
  })
  expect((await siteNow()).locked_by_job).toBeNull()
  refusal = null
  await one.documents.runAction(owner, 'Job', second, 'retry', {})
  await finish(second)
  expect(await jobNow(one.documents, second)).toMatchObject({ status: 'Done', unavailable_since: null })
})

test('a job that is retried waits behind those that came meanwhile', async () => {
  const first = await begin('flush_cache_job')
  const second = await begin('set_php_version', { php_version: '8.4' })
  await untilRuns(first)
  refusal = new AppError('invalid', msg`No.`)
  await finish(first)
  await untilEnded(one.documents, second)
  refusal = null
  const third = await begin('flush_cache_job')
  await untilRuns(third)
  const fourth = await begin('flush_cache_job')
  await one.documents.runAction(owner, 'Job', second, 'retry', {})
  await finish(third)
  await finish(fourth)
  await finish(second)
  expect(ran).toEqual([first, third, fourth, second])
})

test('a job that waits for one that was retried, and so came behind it, goes first', async () => {
  const first = await begin('flush_cache_job')
  const second = await begin('set_php_version', { php_version: '8.4' })
  const third = await begin('flush_cache_job')
  await untilRuns(first)
  const later = formatTimestamp(Date.now() + passed + 1000)
  await asSystem(async (tx) => {
    await tx.updateColumns(JobDoctype, third, { waits_for: second })
    await tx.updateColumns(JobDoctype, second, { waits_since: later })
  })
  await finish(first)
  await finish(third)
  await finish(second)
  expect(ran).toEqual([first, third, second])
})

test('a confirmation that has become wrong fails the job with a way out, and is not retried', async () => {
  const before = await domain()
  const first = await begin('flush_cache_job')
  const second = await begin('convert_to_network', { confirm_name: before })
  await untilRuns(first)
  await asSystem((tx) => tx.updateColumns(SiteDoctype, site, { domain: `new-${before}` }))
  await finish(first)
  const message = `“${before}” was confirmed, but the name has changed.`
  expect(await untilEnded(one.documents, second)).toMatchObject({
    status: 'Failed',
    error_code: 'invalid',
    error_message: message,
    next_action: 'Start it again and confirm the new name.',
  })
  await expect(one.documents.runAction(owner, 'Job', second, 'retry', {})).rejects.toMatchObject({
    code: 'invalid',
    message,
  })
  expect(await jobNow(one.documents, second)).toMatchObject({ status: 'Failed' })
  await asSystem((tx) => tx.updateColumns(SiteDoctype, site, { domain: before }))
  await one.documents.runAction(owner, 'Job', second, 'retry', {})
  await finish(second)
  expect(ran).toEqual([first, second])
})

test('a waiting job is canceled at once and never runs', async () => {
  const first = await begin('flush_cache_job')
  const second = await begin('archive', { confirm_name: await domain() })
  const third = await begin('flush_cache_job')
  await one.documents.runAction(owner, 'Job', second, 'cancel', {})
  expect(await jobNow(one.documents, second)).toMatchObject({
    status: 'Cancelled',
    outcome: 'Canceled by Owner of acme; it had not started',
    waits_for: null,
  })
  await finish(first)
  await finish(third)
  expect(ran).toEqual([first, third])
})

test('only what the action declares is kept for later', async () => {
  const first = await begin('flush_cache_job')
  const second = await begin('set_php_version', { php_version: '8.4', password: 'hunter2' })
  expect((await jobNow(one.documents, second))?.waiting_call).toEqual({
    doctype: 'Site',
    name: site,
    action: 'set_php_version',
    args: { php_version: '8.4' },
  })
  await finish(first)
  await finish(second)
})

test('an API token can’t retry what would be called with all rights of its user', async () => {
  const first = await begin('flush_cache_job')
  const second = await begin('set_php_version', { php_version: '8.4' })
  await untilRuns(first)
  refusal = new AppError('invalid', msg`No.`)
  await finish(first)
  await untilEnded(one.documents, second)
  const token = { ...owner, kind: 'token', scopes: ['jobs:write', 'jobs:read'] } as unknown as Session
  await expect(one.documents.runAction(token, 'Job', second, 'retry', {})).rejects.toMatchObject({ code: 'forbidden' })
})

test('it runs with the rights that its initiator has when it is its turn', async () => {
  const user = 'ann@acme.example'
  await one.documents.transaction(systemSession(), async (tx) => {
    await addMember(tx, 'acme', { email: user, name: 'Ann', role: 'Organization Manager' })
  })
  const first = await begin('flush_cache_job')
  const second = await begin('set_php_version', { php_version: '8.4' }, sessionOf(user, 'acme'))
  await untilRuns(first)
  await asSystem((tx) => tx.update(UserDoctype, user, { enabled: 0 }))
  await finish(first)
  expect(await untilEnded(one.documents, second)).toMatchObject({
    status: 'Failed',
    error_code: 'forbidden',
    error_message: 'The account that started this was disabled.',
  })
  expect(ran).toEqual([first])
})

test('only so many wait for one document; one more is refused and names the job', async () => {
  const first = await begin('flush_cache_job')
  for (let n = 0; n < maxWaitingPerDocument; n += 1) await begin('set_php_version', { php_version: '8.4' })
  await expect(begin('set_php_version', { php_version: '8.4' })).rejects.toMatchObject({
    code: 'locked',
    message: '“test.flush_cache_job shop” is still running. Wait for it or cancel it.',
  })
  expect(await jobNow(one.documents, first)).toMatchObject({
    status: expect.stringMatching(/Queued|Running/) as string,
  })
})

test('a waiting job survives a restart', async () => {
  const first = await begin('flush_cache_job')
  const second = await begin('set_php_version', { php_version: '8.4' })
  await untilRuns(first)
  const three = await open()
  await Promise.all(processes.filter((each) => each !== three).map((each) => each.stop(0)))
  processes = [three]
  one = three
  await finish(first)
  await finish(second)
  expect(await jobNow(one.documents, second)).toMatchObject({ status: 'Done' })
})
