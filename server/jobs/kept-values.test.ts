import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { FailureEnd, JobContext, JobDefinition, StepWait } from '#server/contracts/job.ts'
import type { Session } from '#server/contracts/session.ts'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { JobDoctype, type KeptValues } from '#shared/doctypes/job.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { createProductDatabase, type TestDatabase } from '#tests/support/database.ts'
import {
  jobNow,
  makeOrganization,
  shortPauses,
  startTestProcess,
  until,
  untilEnded,
  type TestProcess,
} from '#tests/support/jobs.ts'
import { addKept } from './kept-values.ts'
import { systemSession } from './session.ts'

let database: TestDatabase
let running: TestProcess
let owner: Session
/** What the steps of the job do, by key. */
let behavior: Record<string, (context: JobContext) => Promise<StepWait | void>>
/** What the job's functions were given, in order. */
let given: [string, KeptValues][]
let end: FailureEnd | undefined
/** What was stored when the rollback began. */
let storedAtRollback: unknown

const definition: JobDefinition = {
  type: 'test.provision',
  label: () => 'Provision',
  deadlineSeconds: 600,
  cancel: { possible: true },
  steps: async () =>
    ['create', 'measure', 'greet'].map((key) => ({
      key,
      label: `The step ${key}`,
      ...(key === 'create' && { shows: [{ name: 'address', label: 'Address' }] }),
      ...(key === 'measure' && { continueAnyway: 'The server is used without knowing its size.' }),
      run: async (context) => {
        given.push([key, context.kept])
        return behavior[key]?.(context)
      },
    })),
  async failed({ kept }) {
    given.push(['failed', kept])
    return end
  },
  async canceled({ job, kept }) {
    storedAtRollback = (await jobNow(running.documents, job))?.steps?.[0]?.kept
    given.push(['canceled', kept])
    return msg`the machine was deleted`
  },
}

beforeAll(async () => {
  database = await createProductDatabase()
  running = await startTestProcess(database.database, { definitions: [definition], clock: shortPauses })
  owner = await makeOrganization(running.documents, 'acme')
})
afterAll(async () => {
  await running?.stop()
  await database?.drop()
})
beforeEach(() => {
  behavior = {}
  given = []
  end = undefined
})

const enqueue = () =>
  running.documents.transaction(owner, (tx) =>
    running.jobs.enqueue(tx, {
      ...{ type: 'test.provision', organization: 'acme' },
      ...{ reference_doctype: 'Organization', reference_name: 'acme', reference_title: 'acme' },
    }),
  )
const act = (job: string, action: string, args = {}) => running.documents.runAction(owner, 'Job', job, action, args)
const ended = (job: string, status: string) => untilEnded(running.documents, job, [status])

const machine = { machine_id: 42_194_123, address: '203.0.113.7', price: '€7.49' }
const fail = (retryable = false) =>
  Promise.reject(new AppError('unavailable', msg`The vendor does not answer.`, { retryable }))

test('what a step keeps is stored with it, redacted, and later steps have it', async () => {
  behavior['create'] = async ({ keep }) => {
    keep({ machine_id: machine.machine_id, address: '\u001B[31m203.0.113.7' })
    keep({ price: machine.price, console: 'https://ann:hunter2secret@vendor.example' })
  }
  behavior['measure'] = async ({ keep }) => keep({ price: null })
  const job = await ended(await enqueue(), 'Done')
  const console = expect.not.stringContaining('hunter2') as string
  expect(job.steps?.[0]).toMatchObject({
    status: 'Done',
    kept: { ...machine, console },
    shows: [{ name: 'address', label: 'Address' }],
  })
  expect(given).toEqual([
    ['create', {}],
    ['measure', { ...machine, console }],
    ['greet', { ...machine, console, price: null }],
  ])
})

test('an id that looks like the number of a card is kept as it is: another one would be none', async () => {
  const ids = { upload: 'upload-4111111111111111-44', action: '4012 8888 8888 1881' }
  behavior['create'] = async ({ keep }) => keep(ids)
  expect((await ended(await enqueue(), 'Done')).steps?.[0]).toMatchObject({ kept: ids })
})

test('a step that fails after it made something leaves that to its next attempt, to failed and to a retry', async () => {
  behavior['create'] = async ({ keep, kept }) => {
    keep(machine)
    return kept['machine_id'] === undefined ? fail(true) : fail()
  }
  const job = await enqueue()
  expect((await ended(job, 'Failed')).steps?.[0]).toMatchObject({ status: 'Failed', kept: machine })
  expect(given).toEqual([
    ['create', {}],
    ['create', machine],
    ['failed', machine],
  ])
  given = []
  // Now the machine is deleted when the job fails, so there is nothing left of it.
  end = 'undone'
  await act(job, 'retry')
  expect((await ended(job, 'Failed')).steps?.[0]).not.toHaveProperty('kept')
  expect(given[0]).toEqual(['create', machine])
  given = []
  await act(job, 'retry')
  await ended(job, 'Failed')
  expect(given[0]).toEqual(['create', {}])
})

test('a cancel finds what the step that it stops has made by then, stored before that is rolled back', async () => {
  const hung = Promise.withResolvers<void>()
  behavior['create'] = ({ keep, signal }) => {
    hung.resolve()
    return new Promise((_resolve, reject) =>
      signal.addEventListener('abort', () => {
        keep(machine)
        reject(new Error('stopped'))
      }),
    )
  }
  const job = await enqueue()
  await hung.promise
  await act(job, 'cancel')
  expect(await ended(job, 'Cancelled')).toMatchObject({ outcome: 'Canceled by Owner of acme; the machine was deleted' })
  expect(given.at(-1)).toEqual(['canceled', machine])
  expect(storedAtRollback).toEqual(machine)
})

test('what is no name of a value, a secret, too much or too long is not kept', () => {
  for (const wrong of ['', 'Address', '__proto__', 'a b', 'api_token', 'x'.repeat(41)])
    expect(() => addKept({}, { [wrong]: 'x' }), wrong).toThrow('can’t keep')
  for (const value of ['x'.repeat(501), Number.NaN, Infinity])
    expect(() => addKept({}, { value })).toThrow('can’t be kept')
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`value_${at}`, at]))
  expect(addKept(many, { value_0: 'again' })).toEqual({ ...many, value_0: 'again' })
  expect(() => addKept(many, { one_more: 1 })).toThrow('at most 20')
})

test('a job continues without a step that waits, if the step allows that, and the log of activities says so', async () => {
  const wait: StepWait = { reason: msg`Waiting for the agent`, seconds: 3600 }
  behavior['create'] = async () => (given.length === 1 ? { ...wait, seconds: 0 } : undefined)
  behavior['measure'] = async () => wait
  const job = await enqueue()
  await until(running.documents, JobDoctype, job, (doc) => Boolean(doc?.steps?.[1]?.wait))
  await expect(act(job, 'continue_anyway', { step: 'create' })).rejects.toMatchObject({
    code: 'invalid',
    field: 'step',
  })
  await act(job, 'continue_anyway', { step: 'measure' })
  expect((await ended(job, 'Done')).steps?.map(({ status }) => status)).toEqual(['Done', 'Skipped', 'Done'])
  expect(given.map(([key]) => key)).toEqual(['create', 'create', 'measure', 'greet'])
  const entries = await running.documents.transaction(systemSession(), (tx) =>
    tx.list(ActivityDoctype, [['action', '=', 'Job.continue_anyway']]),
  )
  expect(entries).toMatchObject([{ reference_name: job, actor: owner.user, detail: 'without “The step measure”' }])
})

test('a job continues without a step that failed, unless what was done before was taken back', async () => {
  behavior['measure'] = () => fail()
  const job = await enqueue()
  await ended(job, 'Failed')
  await act(job, 'continue_anyway', { step: 'measure' })
  expect(await ended(job, 'Done')).toMatchObject({ error_message: null, steps: [{}, { status: 'Skipped' }, {}] })
  expect(given.map(([key]) => key)).toEqual(['create', 'measure', 'failed', 'greet'])

  end = 'undone'
  const other = await enqueue()
  await ended(other, 'Failed')
  await expect(act(other, 'continue_anyway', { step: 'measure' })).rejects.toMatchObject({ code: 'invalid' })
})
