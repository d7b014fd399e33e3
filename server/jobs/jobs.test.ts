import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { AppError } from '#shared/errors.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import type { Session } from '#server/contracts/session.ts'
import { msg } from '#shared/localized-message.ts'
import { createProductDatabase, type TestDatabase } from '#tests/support/database.ts'
import { jobNow, makeOrganization, startTestProcess, until, untilEnded, type TestProcess } from '#tests/support/jobs.ts'
import { readLines } from './log/log-store.ts'
import { systemSession } from './session.ts'
import type { JobContext, JobDefinition } from '#server/contracts/job.ts'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'

/** Behavior of the test job's steps; set by each test. */
let behavior: Record<string, (context: JobContext) => Promise<void>> = {}
const calls: string[] = []

const definition: JobDefinition = {
  type: 'test.work',
  label: ({ referenceTitle }) => `Work on ${referenceTitle}`,
  deadlineSeconds: 30,
  cancel: { possible: true },
  steps: async () =>
    ['first', 'second', 'third'].map((key, at) => ({
      key,
      label: `The ${key} step`,
      weight: at + 1,
      run: async (context) => {
        calls.push(key)
        await behavior[key]?.(context)
      },
    })),
  async done(_context, tx) {
    calls.push('done')
    await tx.update(SiteDoctype, _context.referenceName, { status: 'Live' }, { hooks: false, activity: false })
  },
  async failed(context, error) {
    calls.push('failed')
    await context.transaction((tx) =>
      tx.update(
        SiteDoctype,
        context.referenceName,
        { status: 'Failed', failure_reason: error.message.text },
        { hooks: false, activity: false },
      ),
    )
  },
  async canceled(context) {
    calls.push('canceled')
    await context.transaction((tx) =>
      tx.update(SiteDoctype, context.referenceName, { status: 'Suspended' }, { hooks: false, activity: false }),
    )
    return msg`the site was suspended`
  },
}
const fixed: JobDefinition = {
  ...definition,
  type: 'test.fixed',
  cancel: { possible: false, reason: 'Files are already being removed.' },
}

let test1: TestDatabase
let process1: TestProcess
let owner: Session

beforeAll(async () => {
  test1 = await createProductDatabase()
  process1 = await startTestProcess(test1.database, { definitions: [definition, fixed] })
  owner = await makeOrganization(process1.documents, 'acme')
})
afterAll(async () => {
  await process1?.stop()
  await test1?.drop()
})
afterEach(() => {
  behavior = {}
  calls.length = 0
})

async function makeSite(domain: string): Promise<Site> {
  return process1.documents.transaction(systemSession(), (tx) =>
    tx.insert(SiteDoctype, {
      organization: 'acme',
      domain,
      server: 'none',
      engine: 'fake',
      engine_host: 'fake:1',
    }),
  )
}

async function begin(domain: string, type = 'test.work'): Promise<{ job: string; site: Site }> {
  const site = await makeSite(domain)
  const job = await process1.documents.transaction(owner, (tx) =>
    process1.jobs.enqueue(tx, {
      type,
      organization: 'acme',
      reference_doctype: 'Site',
      reference_name: site.name,
      reference_title: domain,
    }),
  )
  return { job, site }
}

const readSite = (name: string) => process1.documents.transaction(systemSession(), (tx) => tx.get(SiteDoctype, name))
const activities = (job: string) =>
  process1.documents.transaction(systemSession(), (tx) => tx.list(ActivityDoctype, [['job', '=', job]]))

describe('a job that succeeds', () => {
  test('runs its steps in order, keeps their times, unlocks the reference and is in the activity log', async () => {
    behavior = { second: async ({ log }) => log('half way') }
    const { job, site } = await begin('done')
    expect((await readSite(site.name))?.locked_by_job).toBe(job)
    const ended = await untilEnded(process1.documents, job)
    expect(ended).toMatchObject({
      status: 'Done',
      percent: 100,
      attempt: 1,
      label: 'Work on done',
      owner: owner.user,
      log_lines: 1,
      error_code: null,
    })
    expect(ended.steps?.map((step) => [step.key, step.status, step.percent])).toEqual([
      ['first', 'Done', 100],
      ['second', 'Done', 100],
      ['third', 'Done', 100],
    ])
    expect(
      ended.steps?.every((step) => step.started !== null && step.ended !== null && step.started <= step.ended),
    ).toBe(true)
    expect(calls).toEqual(['first', 'second', 'third', 'done'])
    expect(await readSite(site.name)).toMatchObject({ status: 'Live', locked_by_job: null })
    expect((await activities(job)).map(({ action, result, actor }) => [action, result, actor])).toEqual([
      ['test.work', 'Started', owner.user],
      ['test.work', 'Done', owner.user],
    ])
    expect((await readLines(test1.database.db, job, 0)).lines.map((line) => [line.n, line.text])).toEqual([
      [1, 'half way'],
    ])
  })

  test('commits the intent of a step before running it', async () => {
    const seen: unknown[] = []
    behavior = {
      second: async ({ job }) => {
        seen.push((await jobNow(process1.documents, job))?.steps?.map((step) => step.status))
      },
    }
    const { job } = await begin('intent')
    await untilEnded(process1.documents, job)
    expect(seen).toEqual([['Done', 'Running', 'Waiting']])
  })

  test('is not there when its transaction is rolled back', async () => {
    const site = await makeSite('rollback')
    let name = ''
    await expect(
      process1.documents.transaction(owner, async (tx) => {
        name = await process1.jobs.enqueue(tx, {
          type: 'test.work',
          organization: 'acme',
          reference_doctype: 'Site',
          reference_name: site.name,
          reference_title: 'x',
        })
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    expect(await jobNow(process1.documents, name)).toBeNull()
    expect((await readSite(site.name))?.locked_by_job).toBeNull()
    const after = await begin('after-rollback')
    await untilEnded(process1.documents, after.job)
    expect(calls.filter((call) => call === 'first')).toHaveLength(1)
  })

  test('a second job on the same reference is refused, naming the first', async () => {
    let go: () => void = () => undefined
    behavior = {
      first: () =>
        new Promise((resolve) => {
          go = resolve
        }),
    }
    const { job, site } = await begin('busy')
    await until(process1.documents, 'Job', job, () => calls.includes('first'))
    const second = process1.documents.transaction(owner, (tx) =>
      process1.jobs.enqueue(tx, {
        type: 'test.work',
        organization: 'acme',
        reference_doctype: 'Site',
        reference_name: site.name,
        reference_title: 'busy',
      }),
    )
    await expect(second).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining('Work on busy') as string,
    })
    go()
    await untilEnded(process1.documents, job)
  })
})

describe('a job that fails', () => {
  test('reports step, code, message and next action; the site is failed and unlocked; a retry continues at the failed step', async () => {
    behavior = {
      second: () =>
        Promise.reject(
          new AppError('unavailable', msg`The disk is full.`, { nextAction: msg`Free some disk space, then retry.` }),
        ),
    }
    const { job, site } = await begin('fails')
    const failed = await untilEnded(process1.documents, job)
    expect(failed).toMatchObject({
      status: 'Failed',
      error_code: 'unavailable',
      error_message: 'The second step: The disk is full.',
      next_action: 'Free some disk space, then retry.',
    })
    expect(failed.steps?.map((step) => step.status)).toEqual(['Done', 'Failed', 'Waiting'])
    expect(await readSite(site.name)).toMatchObject({
      status: 'Failed',
      locked_by_job: null,
      failure_reason: 'The second step: The disk is full.',
    })
    expect(calls).toEqual(['first', 'second', 'failed'])

    behavior = {}
    calls.length = 0
    expect(await process1.documents.runAction(owner, 'Job', job, 'retry', {})).toEqual({ job })
    const again = await untilEnded(process1.documents, job, ['Done'])
    expect(calls).toEqual(['second', 'third', 'done'])
    expect(again).toMatchObject({ error_code: null, error_message: null, next_action: null, percent: 100 })
    expect(again.attempt).toBeGreaterThan(failed.attempt ?? 0)
    expect(await readSite(site.name)).toMatchObject({ status: 'Live', locked_by_job: null })
    expect((await activities(job)).map(({ result }) => result)).toEqual(['Started', 'Failed', 'Started', 'Done'])
  })

  test('secrets and terminal codes of a foreign error reach neither document nor log', async () => {
    behavior = {
      first: () =>
        Promise.reject(
          new Error('\u001B[31mcannot reach https://ann:hunter2secret@db.example/?token=abcdef123456\u001B[0m'),
        ),
    }
    const { job } = await begin('secret')
    const failed = await untilEnded(process1.documents, job)
    const log = (await readLines(test1.database.db, job, 0)).lines.map((line) => line.text).join('\n')
    for (const text of [failed.error_message ?? '', log]) {
      expect(text).toContain('cannot reach')
      expect(text).not.toMatch(/hunter2secret|abcdef123456|\u001B/)
    }
  })

  test('a job of an unknown type fails instead of staying queued', async () => {
    const other = await startTestProcess(test1.database, {
      definitions: [{ ...definition, type: 'test.newer' }],
      concurrency: 0,
    })
    const site = await makeSite('newer')
    const job = await other.documents.transaction(owner, (tx) =>
      other.jobs.enqueue(tx, {
        type: 'test.newer',
        organization: 'acme',
        reference_doctype: 'Site',
        reference_name: site.name,
        reference_title: 'newer',
      }),
    )
    expect(await untilEnded(process1.documents, job)).toMatchObject({ status: 'Failed', error_code: 'unsupported' })
    await other.stop()
  })

  test('an account disabled in the meantime cannot continue', async () => {
    const formerUser = await makeOrganization(process1.documents, 'gone')
    const site = await makeSite('disabled')
    const job = await process1.documents.transaction(formerUser, async (tx) => {
      const name = await process1.jobs.enqueue(tx, {
        type: 'test.work',
        organization: 'gone',
        reference_doctype: 'Site',
        reference_name: site.name,
        reference_title: 'x',
      })
      await tx.update(UserDoctype, formerUser.user, { enabled: 0 })
      return name
    })
    expect(await untilEnded(process1.documents, job)).toMatchObject({ status: 'Failed', error_code: 'forbidden' })
    expect(calls).toEqual(['failed'])
  })
})

describe('cancel', () => {
  test('a running job stops immediately, is rolled back and names who canceled it', async () => {
    let stopped = false
    behavior = {
      second: ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            stopped = true
            reject(new Error('stopped'))
          })
        }),
    }
    const { job, site } = await begin('cancel-running')
    await until(process1.documents, 'Job', job, () => calls.includes('second'))
    await process1.documents.runAction(owner, 'Job', job, 'cancel', {})
    const ended = await untilEnded(process1.documents, job)
    expect(stopped).toBe(true)
    expect(ended).toMatchObject({
      status: 'Cancelled',
      outcome: 'Canceled by Owner of acme; the site was suspended',
      cancelled_by: owner.user,
    })
    expect(ended.steps?.map((step) => step.status)).toEqual(['Done', 'Skipped', 'Skipped'])
    expect(await readSite(site.name)).toMatchObject({ status: 'Suspended', locked_by_job: null })
    expect(calls).toEqual(['first', 'second', 'canceled'])
    expect((await activities(job)).map(({ result }) => result)).toEqual(['Started', 'Cancelled'])
  })

  test('a job that waits for another is canceled immediately and never runs', async () => {
    const go: (() => void)[] = []
    behavior = {
      first: () =>
        new Promise((resolve) => {
          go.push(resolve)
        }),
    }
    // Start them one after the other, so that it is known which one runs and whose events to wait for.
    const ahead: { job: string; site: Site }[] = []
    for (const name of ['ahead-1', 'ahead-2', 'ahead-3', 'ahead-4']) ahead.push(await begin(name))
    await until(process1.documents, 'Job', ahead[0]?.job ?? '', () => go.length > 0)
    const waiting = ahead.at(-1) as { job: string; site: Site }
    const queued =
      (await Promise.all(ahead.map(async (one) => ({ ...one, doc: await jobNow(process1.documents, one.job) })))).find(
        (one) => one.doc?.status === 'Queued',
      ) ?? waiting
    await process1.documents.runAction(owner, 'Job', queued.job, 'cancel', {})
    expect(await untilEnded(process1.documents, queued.job)).toMatchObject({
      status: 'Cancelled',
      started: expect.anything() as string,
    })
    expect(await readSite(queued.site.name)).toMatchObject({ status: 'Suspended', locked_by_job: null })
    behavior = {}
    for (const resolve of go) resolve()
    await Promise.all(
      ahead.filter((one) => one.job !== queued.job).map((one) => untilEnded(process1.documents, one.job, ['Done'])),
    )
    expect(calls.filter((call) => call === 'third')).toHaveLength(3)
  })

  test('jobs that cannot be canceled say why, ended ones too', async () => {
    let go: () => void = () => undefined
    behavior = {
      first: () =>
        new Promise((resolve) => {
          go = resolve
        }),
    }
    const { job } = await begin('fixed', 'test.fixed')
    await until(process1.documents, 'Job', job, () => calls.includes('first'))
    await expect(process1.documents.runAction(owner, 'Job', job, 'cancel', {})).rejects.toMatchObject({
      code: 'unsupported',
      message: 'Files are already being removed.',
    })
    go()
    await untilEnded(process1.documents, job, ['Done'])
    await expect(process1.documents.runAction(owner, 'Job', job, 'cancel', {})).rejects.toMatchObject({
      code: 'invalid',
    })
    await expect(process1.documents.runAction(owner, 'Job', job, 'retry', {})).rejects.toMatchObject({
      code: 'invalid',
    })
  })
})
