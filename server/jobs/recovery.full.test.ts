import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sql } from 'kysely'
import type { Session } from '#server/contracts/session.ts'
import { msg } from '#shared/localized-message.ts'
import { createProductDatabase, type TestDatabase } from '#tests/support/database.ts'
import {
  jobNow,
  makeOrganization,
  startTestProcess,
  testClock,
  until,
  untilEnded,
  type TestClock,
  type TestProcess,
  type TestProcessOptions,
} from '#tests/support/jobs.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { heartbeatSeconds } from './queue.ts'
import { systemSession } from './session.ts'
import type { JobContext, JobDefinition } from '#server/contracts/job.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'

let database: TestDatabase
let processes: TestProcess[] = []
let owner: Session
let clock: TestClock
let behavior: (key: string, context: JobContext, process: string) => Promise<void> = async () => undefined
const calls: string[] = []

beforeEach(async () => {
  database = await createProductDatabase()
  clock = testClock()
  calls.length = 0
  behavior = async () => undefined
})
afterEach(async () => {
  await Promise.all(processes.map((one) => one.stop(2000)))
  processes = []
  await database.drop()
})

function work(process: string, more: Partial<JobDefinition> = {}): JobDefinition {
  return {
    type: 'test.work',
    label: ({ referenceTitle }) => `Work on ${referenceTitle}`,
    deadlineSeconds: 600,
    cancel: { possible: true },
    steps: async () =>
      ['first', 'second'].map((key) => ({
        key,
        label: `The ${key} step`,
        deadlineSeconds: 200,
        run: async (context) => {
          calls.push(`${process} ${key} ${context.organization}`)
          await behavior(key, context, process)
        },
      })),
    ...more,
  }
}

async function open(
  name: string,
  options: TestProcessOptions = {},
  more: Partial<JobDefinition> = {},
): Promise<TestProcess> {
  const opened = await startTestProcess(database.database, { definitions: [work(name, more)], clock, ...options })
  processes.push(opened)
  return opened
}

const enqueue = (process: TestProcess, organization = 'acme', session = owner) =>
  process.documents.transaction(session, (tx) =>
    process.jobs.enqueue(tx, {
      type: 'test.work',
      organization,
      reference_doctype: 'Organization',
      reference_name: organization,
      reference_title: organization,
    }),
  )

const never = ({ signal }: JobContext) =>
  new Promise<void>((_resolve, reject) => {
    const stop = () => reject(signal.reason as Error)
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
  })

test('a job that runs long stays with its worker: its heartbeat is renewed, and no step runs twice', async () => {
  const one = await open('one')
  owner = await makeOrganization(one.documents, 'acme')
  const finish = Promise.withResolvers<void>()
  behavior = (key) => (key === 'second' ? finish.promise : Promise.resolve())
  const job = await enqueue(one)
  await until(one.documents, 'Job', job, () => calls.includes('one second acme'))
  // More than a lease: without renewal the worker would have given the job up.
  for (let beat = 0; beat < 5; beat += 1) {
    const last = (await jobNow(one.documents, job))?.heartbeat
    clock.pass(heartbeatSeconds * 1000)
    await until(one.documents, 'Job', job, (now) => now?.['heartbeat'] !== last)
  }
  finish.resolve()
  expect(await untilEnded(one.documents, job)).toMatchObject({ status: 'Done', attempt: 1 })
  expect(calls).toEqual(['one first acme', 'one second acme'])
})

describe('a worker that stops', () => {
  test('releases its running job; the next worker continues with the interrupted step', async () => {
    const one = await open('one')
    owner = await makeOrganization(one.documents, 'acme')
    behavior = (key, context, process) => (key === 'second' && process === 'one' ? never(context) : Promise.resolve())
    const job = await enqueue(one)
    await until(one.documents, 'Job', job, () => calls.includes('one second acme'))
    await one.jobs.stop(3000)
    expect(await jobNow(one.documents, job)).toMatchObject({ status: 'Queued', heartbeat: null })
    const two = await open('two')
    expect(await untilEnded(two.documents, job)).toMatchObject({ status: 'Done', attempt: 2 })
    expect(calls).toEqual(['one first acme', 'one second acme', 'two second acme'])
  })
})

describe('a run that was taken over', () => {
  test('stops, writes nothing any more, and the job still ends once', async () => {
    const lost = Promise.withResolvers<void>()
    const warn = (message: string) => void (message.includes('taken over by another worker') && lost.resolve())
    const one = await open('one', { log: { ...silentLog, warn } })
    owner = await makeOrganization(one.documents, 'acme')
    const errors: unknown[] = []
    let taken = false
    behavior = async (key, context) => {
      if (key !== 'second' || taken) return
      taken = true
      // Simulates that another worker claimed the job while this one was frozen.
      await sql`update tab_job set attempt = attempt + 1`.execute(database.database.db)
      await context
        .transaction((tx) => tx.update(OrganizationDoctype, 'acme', { title: 'written by the old run' }))
        .catch((error: unknown) => errors.push(error))
      await never(context)
    }
    const job = await enqueue(one)
    await lost.promise
    clock.pass(2000)
    await until(one.documents, 'Job', job, (now) => now?.['status'] !== 'Running')
    clock.pass(2000)
    const ended = await untilEnded(one.documents, job)
    expect(errors).toMatchObject([{ name: 'StopError', reason: 'lost' }])
    expect(ended).toMatchObject({ status: 'Done', attempt: 3 })
    expect(calls).toEqual(['one first acme', 'one second acme', 'one second acme'])
    const organization = await one.documents.transaction(systemSession(), (tx) => tx.get(OrganizationDoctype, 'acme'))
    expect(organization?.['title']).toBe('acme')
  })

  test('two processes never run one job at the same time', async () => {
    const one = await open('one')
    const two = await open('two')
    owner = await makeOrganization(one.documents, 'acme')
    let inside = 0
    let most = 0
    behavior = async () => {
      inside += 1
      most = Math.max(most, inside)
      await nextTurn()
      inside -= 1
    }
    const jobs: string[] = []
    for (let n = 0; n < 10; n += 1) jobs.push(await enqueue(n % 2 === 0 ? one : two))
    const ended = await Promise.all(jobs.map((job) => untilEnded(one.documents, job)))
    expect(ended.map((job) => [job.status, job.attempt])).toEqual(jobs.map(() => ['Done', 1]))
    expect(calls).toHaveLength(20)
  })
})

describe('a database that goes away', () => {
  test('the job continues and finishes after all connections broke in the middle of a step', async () => {
    const one = await open('one')
    owner = await makeOrganization(one.documents, 'acme')
    let broken = false
    behavior = async (key, context) => {
      if (key !== 'second' || broken) return
      broken = true
      await context.transaction(async (tx) => {
        await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`.execute(
          tx.trx,
        )
        await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx.trx)
      })
    }
    const job = await enqueue(one)
    expect(await untilEnded(one.documents, job)).toMatchObject({ status: 'Done' })
    expect(calls).toEqual(['one first acme', 'one second acme', 'one second acme'])
    // The worker has recovered: the next job runs normally.
    expect(await untilEnded(one.documents, await enqueue(one))).toMatchObject({ status: 'Done', attempt: 1 })
  })
})

describe('a job of one machine', () => {
  test('is run by that machine’s process only', async () => {
    const one = await open('one')
    owner = await makeOrganization(one.documents, 'acme')
    const job = await one.documents.transaction(owner, (tx) =>
      one.jobs.enqueue(tx, {
        type: 'test.work',
        organization: 'acme',
        reference_doctype: 'Organization',
        reference_name: 'acme',
        reference_title: 'acme',
        host: 'local:m1',
      }),
    )
    await untilEnded(one.documents, await enqueue(one))
    expect((await jobNow(one.documents, job))?.status).toBe('Queued')
    const two = await open('two', { hosts: ['local:m1'] })
    expect(await untilEnded(two.documents, job)).toMatchObject({ status: 'Done' })
    expect(calls.slice(2)).toEqual(['two first acme', 'two second acme'])
  })
})

describe('a job whose queue entry was deleted', () => {
  test('gets a new one when its worker vanished too', async () => {
    const one = await open('one', { start: false })
    owner = await makeOrganization(one.documents, 'acme')
    await one.jobs.start()
    behavior = (key, context) => (key === 'first' && calls.length === 1 ? never(context) : Promise.resolve())
    const job = await enqueue(one)
    await until(one.documents, 'Job', job, () => calls.length === 1)
    await one.jobs.stop(3000)
    await sql`delete from pgboss.job`.execute(database.database.db)
    await sql`update easydash_job_run set worker = 1`.execute(database.database.db)
    await sql`update tab_job set status = 'Running'`.execute(database.database.db)
    const standing = testClock({ stands: true })
    const two = await open('two', { clock: standing })
    await until(two.documents, 'Job', job, (now) => now?.['status'] === 'Lost Contact')
    standing.pass(2000)
    expect(await untilEnded(two.documents, job)).toMatchObject({ status: 'Done' })
  })

  test('a cancel is completed even if no worker runs the job', async () => {
    const one = await open('one', { start: false })
    owner = await makeOrganization(one.documents, 'acme')
    const undone: string[] = []
    await one.jobs.start()
    behavior = (_key, context) => never(context)
    const job = await enqueue(one)
    await until(one.documents, 'Job', job, () => calls.length === 1)
    await one.jobs.stop(3000)
    await sql`update tab_job set status = 'Lost Contact'`.execute(database.database.db)
    await one.documents.runAction(owner, 'Job', job, 'cancel', {})
    const two = await open(
      'two',
      {},
      {
        canceled: async () => {
          undone.push('undone')
          return msg`all is undone`
        },
      },
    )
    expect(await untilEnded(two.documents, job)).toMatchObject({
      status: 'Cancelled',
      outcome: 'Canceled by Owner of acme; all is undone',
    })
    expect(undone).toEqual(['undone'])
  })
})

describe('deadlines', () => {
  test('a step that takes too long is stopped and fails with its name', async () => {
    const one = await open('one')
    owner = await makeOrganization(one.documents, 'acme')
    behavior = (key, context) => {
      if (key !== 'second') return Promise.resolve()
      clock.pass(200_000)
      return never(context)
    }
    const ended = await untilEnded(one.documents, await enqueue(one))
    expect(ended).toMatchObject({
      status: 'Failed',
      error_code: 'unavailable',
      error_message: 'The second step took longer than 200 seconds and was stopped.',
    })
  })

  test('a step that does not listen is left behind; what it writes later is refused', async () => {
    const one = await open('one')
    owner = await makeOrganization(one.documents, 'acme')
    const late = Promise.withResolvers<void>()
    let result: Promise<unknown> = Promise.resolve()
    behavior = (key, context) => {
      if (key !== 'second') return Promise.resolve()
      // Once it was told to stop, the time that it gets for that passes.
      context.signal.addEventListener('abort', () => setImmediate(() => clock.pass(5000)))
      clock.pass(200_000)
      result = late.promise.then(() =>
        context.transaction((tx) => tx.update(OrganizationDoctype, 'acme', { title: 'too late' })),
      )
      return result.then(() => undefined)
    }
    const ended = await untilEnded(one.documents, await enqueue(one))
    expect(ended.status).toBe('Failed')
    late.resolve()
    await expect(result).rejects.toMatchObject({ reason: 'lost' })
  })

  test('the whole job has one too', async () => {
    const one = await open('one', {}, { deadlineSeconds: 100 })
    owner = await makeOrganization(one.documents, 'acme')
    behavior = (_key, context) => {
      clock.pass(100_000)
      return never(context)
    }
    expect(await untilEnded(one.documents, await enqueue(one))).toMatchObject({
      status: 'Failed',
      error_message: 'The first step: Work on acme took longer than 100 seconds and was stopped.',
    })
  })
})

describe('a cancel that cannot be carried out', () => {
  test('is tried again, and ends failed with what to do', async () => {
    let tries = 0
    const one = await open(
      'one',
      {},
      {
        canceled: () => {
          tries += 1
          // The pauses between the attempts get longer up to this.
          setImmediate(() => clock.pass(8000))
          return Promise.reject(new Error('the disk is gone'))
        },
        failed: async () => {
          calls.push('failed')
        },
      },
    )
    owner = await makeOrganization(one.documents, 'acme')
    behavior = (_key, context) => never(context)
    const job = await enqueue(one)
    await until(one.documents, 'Job', job, () => calls.length === 1)
    await one.documents.runAction(owner, 'Job', job, 'cancel', {})
    expect(await untilEnded(one.documents, job)).toMatchObject({
      status: 'Failed',
      error_message: 'Cleaning up after the cancel: the disk is gone',
    })
    expect(tries).toBe(5)
    expect(calls.at(-1)).toBe('failed')
  })
})

describe('fairness', () => {
  test('with 500 jobs of one organization queued, another’s first starts after at most one running job', async () => {
    const one = await open(
      'one',
      { concurrency: 2 },
      {
        done: async (context) => {
          calls.push(`end ${context.organization}`)
        },
      },
    )
    owner = await makeOrganization(one.documents, 'acme')
    const others = [await makeOrganization(one.documents, 'globex'), await makeOrganization(one.documents, 'initech')]
    const gates: (() => void)[] = []
    let free = false
    behavior = (key) =>
      key === 'first' && !free
        ? new Promise((resolve) => {
            gates.push(resolve)
          })
        : Promise.resolve()
    const first = await enqueue(one)
    await until(one.documents, 'Job', first, () => gates.length === 1)
    await one.documents.transaction(owner, async (tx) => {
      for (let n = 0; n < 500; n += 1) {
        await one.jobs.enqueue(tx, {
          type: 'test.work',
          organization: 'acme',
          reference_doctype: 'Organization',
          reference_name: 'acme',
          reference_title: 'acme',
        })
      }
    })
    const theirs: string[] = []
    for (const session of others)
      for (let n = 0; n < 2; n += 1) theirs.push(await enqueue(one, session.organization as string, session))
    free = true
    for (const open of gates) open()
    const ended = await Promise.all(theirs.map((job) => untilEnded(one.documents, job)))
    expect(ended.every((job) => job.status === 'Done')).toBe(true)
    // Jobs of acme that ended before the other organizations' first job started: the one that was running. The third
    // organization can lose a race between the two slots by one more.
    const endedBefore = (name: string) =>
      calls.slice(0, calls.indexOf(`one first ${name}`)).filter((call) => call === 'end acme').length
    expect(endedBefore('globex')).toBeLessThanOrEqual(1)
    expect(endedBefore('initech')).toBeLessThanOrEqual(2)
  })
})
