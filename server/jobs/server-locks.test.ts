import { once } from 'node:events'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Controller } from '#server/contracts/controller.ts'
import type { JobDefinition } from '#server/contracts/job.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Doctype } from '#shared/doctype.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { createProductDatabase, type TestDatabase } from '#tests/support/database.ts'
import { held, ran, running, started } from '#tests/support/held-jobs.ts'
import { jobNow, makeOrganization, startTestProcess, untilEnded, type TestProcess } from '#tests/support/jobs.ts'
import { systemSession } from './session.ts'

let database: TestDatabase
let processes: TestProcess[]
let one: TestProcess
let owner: Session
let server: string

/** Servers with an action that starts a job, as every action on a machine is one. */
const withReboot: readonly Doctype[] = doctypes.map((type: Doctype) =>
  type.name === 'Server'
    ? {
        ...type,
        actions: {
          ...type.actions,
          reboot: { label: 'Reboot', activity: 'rebooted the server', allow: { Owner: true }, job: true },
        },
      }
    : type,
)

const failing: JobDefinition = {
  ...held('test.failing'),
  steps: async () => [{ key: 'fail', label: 'Fail', run: () => Promise.reject(new Error('No.')) }],
}

const siteJob = (at: TestProcess, site: string, session = owner, type = 'test.site') =>
  at.documents.transaction(session, (tx) =>
    at.jobs.enqueue(tx, {
      ...{ type, organization: 'acme', server },
      ...{ reference_doctype: 'Site', reference_name: site, reference_title: 'blog' },
    }),
  )
const serverJob = (at: TestProcess) =>
  at.documents.transaction(owner, (tx) =>
    at.jobs.enqueue(tx, {
      ...{ type: 'test.server', organization: 'acme' },
      ...{ reference_doctype: 'Server', reference_name: server, reference_title: 'web1' },
    }),
  )

async function open(): Promise<TestProcess> {
  const begin =
    (doctype: string, type: string, shares: boolean) => async (doc: object, _args: object, context: object) => ({
      job: await opened.jobs.enqueue(Reflect.get(context, 'tx'), {
        ...{ type, organization: 'acme', server: shares ? server : null },
        ...{ reference_doctype: doctype, reference_name: String(Reflect.get(doc, 'name')) },
        reference_title: shares ? 'blog' : 'web1',
      }),
    })
  const controllers = [
    { doctype: 'Server', actions: { reboot: begin('Server', 'test.server', false) } },
    { doctype: 'Site', actions: { flush_cache_job: begin('Site', 'test.site', true) } },
  ] as Controller[]
  const definitions = [...['test.site', 'test.server'].map(held), failing]
  const opened: TestProcess = await startTestProcess(database.database, {
    definitions,
    controllers,
    doctypes: withReboot,
  })
  processes.push(opened)
  return opened
}

beforeAll(async () => {
  database = await createProductDatabase()
  processes = []
  one = await open()
  owner = await makeOrganization(one.documents, 'acme')
})
afterAll(async () => {
  await Promise.all(processes.map((each) => each.stop()))
  await database?.drop()
})
beforeEach(async () => {
  ran.length = 0
  server = await one.documents.transaction(systemSession(), async (tx) => {
    if (server) await tx.updateColumns(ServerDoctype, server, { status: 'Decommissioned' })
    return (await tx.insert(ServerDoctype, { organization: 'acme', hostname: 'web1', engine: 'fake' })).name
  })
})

const makeSite = () =>
  one.documents.transaction(systemSession(), async (tx) => {
    const domain = `blog-${Math.random().toString(36).slice(2)}`
    const values = { organization: 'acme', domain, server, engine: 'fake', engine_host: 'fake:1' } as const
    return (await tx.insert(SiteDoctype, { ...values, site_type: 'wp', status: 'Live' }, { owner: owner.user })).name
  })
const act = async (doctype: string, name: string, action: string): Promise<string> =>
  String(Reflect.get((await one.documents.runAction(owner, doctype, name, action, {})) ?? {}, 'job'))

async function untilRuns(job: string): Promise<void> {
  while (!running.has(job)) await once(started, 'step')
}
async function finish(job: string): Promise<void> {
  await untilRuns(job)
  running.get(job)?.()
  await untilEnded(one.documents, job)
}

test('jobs of two sites run side by side; a job of their server waits for both, and comes before the next one', async () => {
  const [first, second] = [await makeSite(), await makeSite()]
  const jobs = [await act('Site', first, 'flush_cache_job'), await act('Site', second, 'flush_cache_job')]
  for (const job of jobs) await untilRuns(job)
  const reboot = await act('Server', server, 'reboot')
  expect(await jobNow(one.documents, reboot)).toMatchObject({
    ...{ status: 'Queued', waits_for: jobs[0], waits_for_label: 'test.site blog', waits_for_title: 'blog' },
  })
  const later = await act('Site', await makeSite(), 'flush_cache_job')
  expect(await jobNow(one.documents, later), 'it does not overtake').toMatchObject({ waits_for: reboot })
  await finish(jobs[0] ?? '')
  expect(await jobNow(one.documents, reboot)).toMatchObject({ status: 'Queued' })
  await finish(jobs[1] ?? '')
  await untilRuns(reboot)
  await expect(siteJob(one, second, systemSession()), 'nor does a schedule').rejects.toMatchObject({
    code: 'locked',
    message: '“test.server web1” is still running. Wait for it or cancel it.',
  })
  expect([...running.keys()]).toEqual([reboot])
  await finish(reboot)
  await finish(later)
  expect(ran.slice(2)).toEqual([reboot, later])
})

test('of a job of the server and one of its site that begin at the same time, one gets in', async () => {
  const two = await open()
  for (let n = 0; n < 8; n += 1) {
    const site = await makeSite()
    const work = [() => siteJob(one, site), () => serverJob(two)]
    const results = await Promise.allSettled((n % 2 === 0 ? work : work.toReversed()).map((start) => start()))
    const begun = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
    expect(refused).toEqual([expect.objectContaining({ code: 'locked' })])
    expect(begun).toHaveLength(1)
    for (const job of begun) await finish(job)
  }
})

test('a job that is retried needs its server again', async () => {
  const job = await siteJob(one, await makeSite(), owner, 'test.failing')
  await untilEnded(one.documents, job)
  const reboot = await serverJob(one)
  const retry = () => one.documents.runAction(owner, 'Job', job, 'retry', {})
  await expect(retry()).rejects.toMatchObject({ code: 'locked', message: expect.stringMatching(/^“test.server web1”/) })
  await finish(reboot)
  await retry()
  expect(await untilEnded(one.documents, job)).toMatchObject({ status: 'Failed', shared_server: server })
})
