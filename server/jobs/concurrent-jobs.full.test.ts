import { EventEmitter, once } from 'node:events'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Session } from '#server/contracts/session.ts'
import { createProductDatabase, type TestDatabase } from '#tests/support/database.ts'
import {
  jobNow,
  makeOrganization,
  testClock,
  startTestProcess,
  untilEnded,
  type TestProcess,
  type TestProcessOptions,
} from '#tests/support/jobs.ts'
import { claimJob, ConcurrencyLimitError } from './claim.ts'
import type { Clock } from './clock.ts'
import type { JobDefinition } from '#server/contracts/job.ts'

let database: TestDatabase
let processes: TestProcess[] = []
let owner: Session
/** Jobs whose step is running, with the function that lets each continue. */
let running: Map<string, () => void>
/** Maximum number of jobs seen running at once. */
let most: number
/** Says that a step has begun. */
const started = new EventEmitter()
let clock: Clock

beforeEach(async () => {
  database = await createProductDatabase()
  running = new Map()
  most = 0
  clock = testClock()
})
afterEach(async () => {
  for (const go of running.values()) go()
  await Promise.all(processes.map((one) => one.stop(2000)))
  processes = []
  await database.drop()
})

const held: JobDefinition = {
  type: 'test.held',
  label: () => 'Held',
  deadlineSeconds: 600,
  cancel: { possible: true },
  steps: async () => [
    {
      key: 'hold',
      label: 'Hold',
      run: (context) =>
        new Promise<void>((resolve, reject) => {
          running.set(context.job, resolve)
          most = Math.max(most, running.size)
          started.emit('step')
          context.signal.addEventListener('abort', () => reject(context.signal.reason as Error))
        }).finally(() => running.delete(context.job)),
    },
  ],
}

async function open(options: TestProcessOptions = {}): Promise<TestProcess> {
  const opened = await startTestProcess(database.database, {
    definitions: [held],
    clock,
    ...options,
  })
  processes.push(opened)
  return opened
}

const enqueue = (process: TestProcess, server: string | null, organization = 'acme', session = owner) =>
  process.documents.transaction(session, (tx) =>
    process.jobs.enqueue(tx, {
      type: 'test.held',
      organization,
      reference_doctype: 'Organization',
      reference_name: organization,
      reference_title: organization,
      server,
      remote: server !== null,
    }),
  )

/** Resolves with the first of these jobs whose step runs. */
async function untilAnyRuns(jobs: Iterable<string>): Promise<string> {
  for (;;) {
    const found = [...jobs].find((job) => running.has(job))
    if (found !== undefined) return found
    await once(started, 'step')
  }
}
const untilRunning = (job: string) => untilAnyRuns([job])

async function finish(process: TestProcess, job: string): Promise<void> {
  running.get(job)?.()
  await untilEnded(process.documents, job)
}

test('jobs of one organization on two servers run side by side', async () => {
  const one = await open()
  owner = await makeOrganization(one.documents, 'acme')
  const first = await enqueue(one, 'server-1')
  const second = await enqueue(one, 'server-2')
  await untilRunning(first)
  await untilRunning(second)
  await finish(one, first)
  await finish(one, second)
})

test('limits the jobs on a server across all processes', async () => {
  const one = await open({ limits: { server: 1 } })
  await open({ limits: { server: 1 } })
  owner = await makeOrganization(one.documents, 'acme')
  const jobs = [await enqueue(one, 'server-1'), await enqueue(one, 'server-1'), await enqueue(one, 'server-1')]
  const other = await enqueue(one, 'server-2')
  await untilRunning(other)
  // Two processes look for work, so which of the waiting jobs comes next is open.
  for (const waiting = new Set(jobs); waiting.size > 0;) {
    const job = await untilAnyRuns(waiting)
    expect(jobs.filter((each) => running.has(each))).toEqual([job])
    await finish(one, job)
    waiting.delete(job)
  }
  await finish(one, other)
})

test('of two workers that claim jobs of one server concurrently, only one gets the last slot', async () => {
  const one = await open({ concurrency: 0 })
  owner = await makeOrganization(one.documents, 'acme')
  const limits = { organization: 9, server: 1 }
  for (let round = 0; round < 5; round += 1) {
    const server = `server-${round}`
    const jobs = [await enqueue(one, server), await enqueue(one, server)]
    const claims = await Promise.allSettled(
      jobs.map((job, worker) =>
        claimJob(one.documents, job, {
          worker,
          liveWorkers: new Set(),
          clock,
          definitions: new Map([[held.type, held]]),
          limits,
        }),
      ),
    )
    const rejected = claims.filter((claim) => claim.status === 'rejected')
    expect(rejected.map(({ reason }) => reason as unknown)).toEqual([expect.any(ConcurrencyLimitError)])
  }
})

test('limits the jobs of an organization; the next one starts when one has ended', async () => {
  const one = await open({ limits: { organization: 2 } })
  owner = await makeOrganization(one.documents, 'acme')
  const other = await makeOrganization(one.documents, 'globex')
  const jobs: string[] = []
  for (const server of ['server-1', 'server-2', 'server-3', null]) jobs.push(await enqueue(one, server))
  // Which of them begin is open.
  const begun = await untilAnyRuns(jobs)
  await untilAnyRuns(jobs.filter((job) => job !== begun))
  // Other organizations' jobs don't wait for it, although its jobs are older.
  const theirs = await enqueue(one, 'server-9', 'globex', other)
  await untilRunning(theirs)
  expect(most).toBe(3)
  const states = await Promise.all(jobs.map((job) => jobNow(one.documents, job)))
  expect(states.filter((job) => job?.status === 'Queued')).toHaveLength(2)
  for (const waiting = new Set(jobs); waiting.size > 0;) {
    const job = await untilAnyRuns(waiting)
    await finish(one, job)
    waiting.delete(job)
  }
  await finish(one, theirs)
  expect(most).toBe(3)
})

test('jobs that an organization’s limit holds back keep no worker from a job of another organization', async () => {
  const queueing = await open({ concurrency: 0 })
  owner = await makeOrganization(queueing.documents, 'acme')
  const other = await makeOrganization(queueing.documents, 'globex')
  // The one of globex comes after all of acme's in the queue.
  const theirs: string[] = []
  for (let n = 0; n < 12; n += 1) theirs.push(await enqueue(queueing, `theirs-${n}`, 'globex', other))
  const last = theirs.pop() as string
  for (const job of theirs) await queueing.documents.runAction(other, 'Job', job, 'cancel', {})
  const jobs: string[] = []
  for (let n = 0; n < 10; n += 1) jobs.push(await enqueue(queueing, `server-${n}`))
  const one = await open({ concurrency: 2, limits: { organization: 1 } })
  await untilRunning(last)
  expect([...running.keys()].filter((job) => jobs.includes(job))).toHaveLength(1)
  await finish(one, last)
})

test('jobs waiting for their organization can be canceled', async () => {
  const one = await open({ limits: { organization: 1 } })
  owner = await makeOrganization(one.documents, 'acme')
  const first = await enqueue(one, 'server-1')
  await untilRunning(first)
  const second = await enqueue(one, 'server-2')
  await one.documents.runAction(owner, 'Job', second, 'cancel', {})
  expect(await untilEnded(one.documents, second)).toMatchObject({ status: 'Cancelled' })
  await finish(one, first)
})
