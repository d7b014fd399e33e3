import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Session } from '#server/contracts/session.ts'
import { msg } from '#shared/localized-message.ts'
import { createProductDatabase, type TestDatabase } from '#tests/support/database.ts'
import {
  jobNow,
  makeOrganization,
  testClock,
  startTestProcess,
  until,
  untilEnded,
  type TestClock,
  type TestProcess,
  type TestProcessOptions,
} from '#tests/support/jobs.ts'
import { JobDoctype, type Job } from '#shared/doctypes/job.ts'
import { systemSession } from './session.ts'
import type { JobContext, JobDefinition, StepWait } from '#server/contracts/job.ts'

let database: TestDatabase
let processes: TestProcess[] = []
let owner: Session
let clock: TestClock
/** What the waiting step does at its next check. */
let look: (context: JobContext) => StepWait | void | Promise<StepWait | void>
let looks: string[]
let undone: string[]

beforeEach(async () => {
  database = await createProductDatabase()
  clock = testClock()
  looks = []
  undone = []
  look = () => undefined
})
afterEach(async () => {
  await Promise.all(processes.map((one) => one.stop(2000)))
  processes = []
  await database.drop()
})

const definitions: JobDefinition[] = [
  {
    type: 'test.order',
    label: () => 'Order',
    deadlineSeconds: 6000,
    cancel: { possible: true },
    steps: async () => [
      {
        key: 'order',
        label: 'Order the machine',
        deadlineSeconds: 3000,
        run: async (context) => {
          looks.push(context.job)
          return look(context)
        },
      },
      { key: 'greet', label: 'Greet it', run: async () => undefined },
    ],
    canceled: async ({ job }) => {
      undone.push(job)
      return msg`the order was taken back`
    },
  },
  {
    type: 'test.quick',
    label: () => 'Quick',
    deadlineSeconds: 60,
    cancel: { possible: true },
    steps: async () => [{ key: 'only', label: 'Only', run: async () => undefined }],
  },
]

async function open(options: TestProcessOptions = {}): Promise<TestProcess> {
  const opened = await startTestProcess(database.database, { definitions, clock, ...options })
  processes.push(opened)
  return opened
}

const enqueue = (process: TestProcess, type = 'test.order') =>
  process.documents.transaction(owner, (tx) =>
    process.jobs.enqueue(tx, {
      type,
      organization: 'acme',
      reference_doctype: 'Organization',
      reference_name: 'acme',
      reference_title: 'acme',
    }),
  )

const waitFor = (seconds: number, event?: string): StepWait => ({
  reason: msg`Waiting for the provider`,
  seconds,
  ...(event === undefined ? {} : { event }),
})
const untilWaiting = async (process: TestProcess, job: string) =>
  (await until(process.documents, JobDoctype, job, (doc) => doc?.steps?.[0]?.wait != null)) as Job
const wake = (process: TestProcess, event: string) =>
  process.documents.transaction(systemSession(), (tx) => process.jobs.wake(tx, event))

test('a step that waits says for what and since when, holds no worker, and looks again at its event', async () => {
  const one = await open({ concurrency: 1, limits: { organization: 1 } })
  owner = await makeOrganization(one.documents, 'acme')
  look = () => (looks.length < 2 ? waitFor(2000, 'order.1') : undefined)
  const order = await enqueue(one)
  const waiting = await untilWaiting(one, order)
  expect(waiting.status).toBe('Running')
  expect(waiting.steps?.[0]).toMatchObject({
    status: 'Running',
    wait: { reason: 'Waiting for the provider', since: expect.stringMatching(/^\d{4}-/) },
  })
  // The only worker and the organization's only slot are free.
  await untilEnded(one.documents, await enqueue(one, 'test.quick'))
  expect(looks).toEqual([order])

  await wake(one, 'order.2')
  await wake(one, 'order.1')
  expect(await untilEnded(one.documents, order)).toMatchObject({
    status: 'Done',
    steps: [{ key: 'order', status: 'Done', wait: null, started: waiting.steps?.[0]?.started }, { status: 'Done' }],
  })
  expect(looks).toEqual([order, order])
})

test('an event that arrives while the step looks is not missed', async () => {
  const one = await open()
  owner = await makeOrganization(one.documents, 'acme')
  look = async () => {
    if (looks.length > 1) return undefined
    await wake(one, 'order.1')
    return waitFor(2000, 'order.1')
  }
  const order = await enqueue(one)
  expect((await untilEnded(one.documents, order)).status).toBe('Done')
  expect(looks).toEqual([order, order])
})

test('waiting jobs resume after a restart when they are due', async () => {
  const one = await open()
  owner = await makeOrganization(one.documents, 'acme')
  look = () => waitFor(60)
  const order = await enqueue(one)
  const first = await untilWaiting(one, order)
  await one.stop()
  processes = []
  clock.pass(60_000)
  const since: unknown[] = []
  look = async ({ job }) => {
    since.push((await jobNow(two.documents, job))?.steps?.[0]?.wait?.since)
    return since.length < 2 ? waitFor(10) : undefined
  }
  const two = await open()
  await until(two.documents, JobDoctype, order, (doc) => since.length === 1 && doc?.heartbeat === null)
  clock.pass(10_000)
  expect((await untilEnded(two.documents, order)).status).toBe('Done')
  const firstSince = first.steps?.[0]?.wait?.since
  expect(since, 'since the first look').toEqual([firstSince, firstSince])
})

test('a job that lost contact waits and continues like any other', async () => {
  const one = await open()
  owner = await makeOrganization(one.documents, 'acme')
  look = async ({ job }) => {
    if (looks.length > 1) return undefined
    await one.documents.transaction(systemSession(), (tx) =>
      tx.update(JobDoctype, job, { status: 'Lost Contact' }, { hooks: false, activity: false }),
    )
    return waitFor(2000, 'order.1')
  }
  const order = await enqueue(one)
  expect((await untilWaiting(one, order)).status).toBe('Running')
  await wake(one, 'order.1')
  expect((await untilEnded(one.documents, order)).status).toBe('Done')
})

test('a wait is canceled immediately, and rolled back', async () => {
  const one = await open()
  owner = await makeOrganization(one.documents, 'acme')
  look = () => waitFor(2000)
  const order = await enqueue(one)
  await untilWaiting(one, order)
  await one.documents.runAction(owner, 'Job', order, 'cancel', {})
  const ended = await untilEnded(one.documents, order)
  expect(ended).toMatchObject({ status: 'Cancelled', outcome: 'Canceled by Owner of acme; the order was taken back' })
  expect(undone).toEqual([order])
  await wake(one, 'order.1')
  expect((await jobNow(one.documents, order))?.status).toBe('Cancelled')
})

test('a wait is canceled while the organization has no free slot', async () => {
  const one = await open({ concurrency: 2, limits: { organization: 1 } })
  owner = await makeOrganization(one.documents, 'acme')
  look = () => waitFor(2000)
  const order = await enqueue(one)
  await untilWaiting(one, order)
  const free = Promise.withResolvers<void>()
  look = () => free.promise
  const other = await enqueue(one)
  await until(one.documents, JobDoctype, other, (doc) => doc?.status === 'Running')
  await one.documents.runAction(owner, 'Job', order, 'cancel', {})
  expect((await untilEnded(one.documents, order)).status).toBe('Cancelled')
  expect((await jobNow(one.documents, other))?.status).toBe('Running')
  free.resolve()
  expect((await untilEnded(one.documents, other)).status).toBe('Done')
})

test('the deadline of a step continues while it waits', async () => {
  const one = await open()
  owner = await makeOrganization(one.documents, 'acme')
  look = () => waitFor(86_400)
  const order = await enqueue(one)
  await untilWaiting(one, order)
  clock.pass(3_000_000)
  const ended = await untilEnded(one.documents, order)
  expect(ended).toMatchObject({ status: 'Failed', steps: [{ status: 'Failed' }, { status: 'Waiting' }] })
  expect(ended.error_message).toBe('Order the machine took longer than 3000 seconds and was stopped.')
})

test('waiting jobs resume only when a slot is free', async () => {
  const one = await open({ limits: { organization: 1 } })
  owner = await makeOrganization(one.documents, 'acme')
  look = () => waitFor(2000, 'order.1')
  const jobs = [await enqueue(one), await enqueue(one), await enqueue(one)]
  for (const job of jobs) await untilWaiting(one, job)
  const together: number[] = []
  look = async ({ organization }) => {
    const running = await one.documents.transaction(systemSession(), (tx) =>
      tx.count(JobDoctype, [
        ['organization', '=', organization],
        ['heartbeat', 'is', 'set'],
      ]),
    )
    together.push(running)
  }
  await wake(one, 'order.1')
  for (const job of jobs) expect((await untilEnded(one.documents, job)).status).toBe('Done')
  expect(together).toEqual([1, 1, 1])
})
