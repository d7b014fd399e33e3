import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Session } from '#server/contracts/session.ts'
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts'
import {
  fastClock,
  jobNow,
  makeOrganization,
  startTestProcess,
  until,
  untilEnded,
  type TestProcess,
  type TestProcessOptions,
} from '#tests/support/jobs.ts'
import { claimJob, FullError } from './claim.ts'
import type { JobDefinition } from '#server/contracts/job.ts'

let database: TestDatabase
let processes: TestProcess[] = []
let owner: Session
/** Jobs whose step is running, with the function that lets each continue. */
let running: Map<string, () => void>
/** Maximum number of jobs seen running at once. */
let most: number

beforeEach(async () => {
  database = await createTestDatabase()
  running = new Map()
  most = 0
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
          context.signal.addEventListener('abort', () => reject(context.signal.reason as Error))
        }).finally(() => running.delete(context.job)),
    },
  ],
}

async function open(options: TestProcessOptions = {}): Promise<TestProcess> {
  const opened = await startTestProcess(database.database, {
    definitions: [held],
    clock: fastClock(5),
    ...options,
  })
  processes.push(opened)
  return opened
}

const enqueue = (process: TestProcess, machine: string | null, organization = 'acme', session = owner) =>
  process.documents.transaction(session, (tx) =>
    process.jobs.enqueue(tx, {
      type: 'test.held',
      organization,
      reference_doctype: 'Organization',
      reference_name: organization,
      reference_title: organization,
      machine,
    }),
  )

const untilRunning = (process: TestProcess, job: string) => until(process.documents, 'Job', job, () => running.has(job))

/** The jobs of these that run, as soon as one does. */
async function untilAnyRuns(process: TestProcess, jobs: ReadonlySet<string>): Promise<[string, ...string[]]> {
  const [any = ''] = jobs
  const found = () => [...jobs].filter((job) => running.has(job))
  await until(process.documents, 'Job', any, () => found().length > 0)
  return found() as [string, ...string[]]
}

async function finish(process: TestProcess, job: string): Promise<void> {
  running.get(job)?.()
  await untilEnded(process.documents, job)
}

test('jobs of one organization on two servers run side by side', async () => {
  const one = await open()
  owner = await makeOrganization(one.documents, 'acme')
  const first = await enqueue(one, 'server-1')
  const second = await enqueue(one, 'server-2')
  await untilRunning(one, first)
  await untilRunning(one, second)
  await finish(one, first)
  await finish(one, second)
})

test('no more jobs run on a server than may, in all processes together', async () => {
  const one = await open({ limits: { machine: 1 } })
  await open({ limits: { machine: 1 } })
  owner = await makeOrganization(one.documents, 'acme')
  const jobs = [await enqueue(one, 'server-1'), await enqueue(one, 'server-1'), await enqueue(one, 'server-1')]
  const other = await enqueue(one, 'server-2')
  await untilRunning(one, other)
  // Two processes look for work, so which of the waiting jobs comes next is open.
  for (const waiting = new Set(jobs); waiting.size > 0;) {
    const [job] = await untilAnyRuns(one, waiting)
    expect(jobs.filter((each) => running.has(each))).toEqual([job])
    await finish(one, job)
    waiting.delete(job)
  }
  await finish(one, other)
})

test('of two workers that take jobs of one server at the same moment, only one gets the last place', async () => {
  const one = await open({ concurrency: 0 })
  owner = await makeOrganization(one.documents, 'acme')
  const limits = { organization: 9, machine: 1 }
  for (let round = 0; round < 5; round += 1) {
    const machine = `server-${round}`
    const jobs = [await enqueue(one, machine), await enqueue(one, machine)]
    const claims = await Promise.allSettled(
      jobs.map((job, worker) =>
        claimJob(one.documents, job, {
          worker,
          liveWorkers: new Set(),
          clock: fastClock(1),
          definitions: new Map([[held.type, held]]),
          limits,
        }),
      ),
    )
    const refused = claims.filter((claim) => claim.status === 'rejected')
    expect(refused.map(({ reason }) => reason as unknown)).toEqual([expect.any(FullError)])
  }
})

test('an organization runs no more jobs than it may; the next one begins when one has ended', async () => {
  const one = await open({ limits: { organization: 2 } })
  owner = await makeOrganization(one.documents, 'acme')
  const other = await makeOrganization(one.documents, 'globex')
  const jobs: string[] = []
  for (const machine of ['server-1', 'server-2', 'server-3', null]) jobs.push(await enqueue(one, machine))
  await untilRunning(one, jobs[0] ?? '')
  await untilRunning(one, jobs[1] ?? '')
  // Other organizations' jobs don't wait for it, although its jobs are older.
  const theirs = await enqueue(one, 'server-9', 'globex', other)
  await untilRunning(one, theirs)
  expect(most).toBe(3)
  expect((await jobNow(one.documents, jobs[2] ?? ''))?.status).toBe('Queued')
  for (const job of jobs) {
    await untilRunning(one, job)
    await finish(one, job)
  }
  await finish(one, theirs)
  expect(most).toBe(3)
})

test('what waits for its organization can be cancelled', async () => {
  const one = await open({ limits: { organization: 1 } })
  owner = await makeOrganization(one.documents, 'acme')
  const first = await enqueue(one, 'server-1')
  await untilRunning(one, first)
  const second = await enqueue(one, 'server-2')
  await one.documents.runAction(owner, 'Job', second, 'cancel', {})
  expect(await untilEnded(one.documents, second)).toMatchObject({ status: 'Cancelled' })
  await finish(one, first)
})
