import { afterAll, beforeAll, expect, test } from 'vitest'
import { silentLog } from '#server/platform/log/log.ts'
import { JobDoctype, type JobStep } from '#shared/doctypes/job.ts'
import { createProductDatabase, type TestDatabase } from '#tests/support/database.ts'
import { jobNow, startTestProcess, until, type TestProcess } from '#tests/support/jobs.ts'
import type { Clock } from '../clock.ts'
import { createLogBuffer } from './log-buffer.ts'
import { createRecorder, percentOf } from './recorder.ts'
import { systemSession } from '../session.ts'

let database: TestDatabase
let running: TestProcess
/** Timers that fire when the test advances the clock. */
let timers: { at: number; fn: () => void }[] = []
let now = 1_000_000
const clock: Clock = {
  now: () => now,
  setTimeout: (fn, ms) => {
    const timer = { at: now + ms, fn }
    timers.push(timer)
    return timer
  },
  clearTimeout: (handle) => {
    timers = timers.filter((timer) => timer !== handle)
  },
}
function pass(ms: number): void {
  now += ms
  const due = timers.filter((timer) => timer.at <= now)
  timers = timers.filter((timer) => timer.at > now)
  for (const timer of due) timer.fn()
}

beforeAll(async () => {
  database = await createProductDatabase()
  running = await startTestProcess(database.database, { start: false })
})
afterAll(async () => {
  await running?.stop()
  await database?.drop()
})

const step = (key: string, more: Partial<JobStep> = {}): JobStep => ({
  key,
  label: key,
  status: 'Waiting',
  started: null,
  ended: null,
  percent: 0,
  weight: 1,
  ...more,
})

test('a thousand reports between two looks of the clock are one update', async () => {
  const job = await running.documents.transaction(systemSession(), (tx) =>
    tx.insert(JobDoctype, {
      organization: 'acme',
      job_type: 'test',
      label: 'Test',
      status: 'Running',
      attempt: 1,
    }),
  )
  let updates = 0
  running.documents.onEvent((event) => {
    if (event.name === job.name) updates += 1
  })
  const recorder = createRecorder({
    documents: running.documents,
    db: database.database.db,
    session: systemSession(),
    clock,
    log: silentLog,
    fence: { job: job.name, attempt: 1, phase: 'forward' },
    steps: [step('one', { status: 'Running' }), step('two', { weight: 3 })],
    buffer: createLogBuffer({ n: 0, bytes: 0 }),
    onStop: () => undefined,
  })
  const report = () => {
    for (let n = 0; n < 1000; n += 1) {
      recorder.progress('one', n / 1000)
      recorder.line(`line ${n}`)
    }
  }
  report()
  pass(0)
  await until(running.documents, JobDoctype, job.name, (doc) => doc?.log_lines === 1000)
  expect(updates).toBe(1)
  report()
  pass(249)
  expect(updates).toBe(1)
  pass(1)
  await until(running.documents, JobDoctype, job.name, (doc) => doc?.log_lines === 2000)
  expect(updates).toBe(2)
  expect(await jobNow(running.documents, job.name)).toMatchObject({ percent: 25 })
  recorder.keep('one', { upload: 'begun' })
  await recorder.close()
  expect(timers).toEqual([])
  // The process is stopped before the pause is over.
  expect((await jobNow(running.documents, job.name))?.steps?.[0]?.kept).toEqual({ upload: 'begun' })
})

test('percent follows the weights, and 100 is left to the end', () => {
  expect(percentOf([])).toBe(0)
  expect(percentOf([step('a', { status: 'Done' }), step('b', { weight: 3, percent: 50, status: 'Running' })])).toBe(62)
  expect(percentOf([step('a', { status: 'Done' })])).toBe(99)
})
