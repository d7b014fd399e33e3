import type { Session } from '#server/contracts/session.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { systemClock } from '#server/jobs/clock.ts'
import { initiatorSession, systemSession } from '#server/jobs/session.ts'
import { LockedError } from '#server/jobs/waiting-jobs.ts'
import { BulkRunDoctype, type BulkRun } from '#shared/doctypes/bulk-run.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import type { Action } from '#shared/doctype.ts'
import { AppError } from '#shared/errors.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { bulkActions } from '#shared/rules/bulk-actions.ts'
import type { SitesDeps } from '../deps.ts'
import { checkPluginUpdate } from './plugin-updates.ts'
import { nextRow, openRuns, recount, rowHeld, rowRefused, rowStarted, runningRows, settleRows } from './bulk-rows.ts'

/** Sites of one organization that bulk runs work on at the same time: its people's own jobs must get their turn, too. */
const atOnceByDefault = 2

/** The row can't start now, without a reason of its own: the run was paused, or enough others run. */
class NotNowError extends Error {}

/**
 * Does what can be done for all bulk runs: notes what became of jobs, and starts the next sites. A site's job and the row that
 * says so are written in one transaction, so that wherever a process is killed, no site gets two jobs and none is forgotten.
 */
export async function advanceBulkRuns(deps: SitesDeps): Promise<void> {
  const open = await deps.documents().transaction(systemSession('schedule'), openRuns)
  for (const { name, settle } of open) {
    if (settle) await settleRun(deps, name)
    await startRows(deps, name)
  }
}

const atOnceOf = ({ bulkAtOnce }: SitesDeps) => bulkAtOnce ?? atOnceByDefault
const timeOf = (deps: SitesDeps) => (deps.clock ?? systemClock).now()

/** Notes what became of the jobs of a run. */
async function settleRun(deps: SitesDeps, name: string): Promise<void> {
  await deps.documents().transaction(systemSession('schedule'), async (tx) => {
    const run = await tx.get(BulkRunDoctype, name, { lock: true })
    if (!run) return
    const now = timeOf(deps)
    const isOver = run.waiting === 0 && run.running === 0 && run.status === 'Running'
    if ((await settleRows(tx, name, now)) || isOver) await recount(tx, run, now)
  })
}

/** Starts sites until enough run or none is left that could start. */
async function startRows(deps: SitesDeps, name: string): Promise<void> {
  for (;;) {
    const next = await deps.documents().transaction(systemSession('schedule'), async (tx) => {
      const run = await tx.get(BulkRunDoctype, name)
      const row = run?.status === 'Running' ? await nextRow(tx, name, atOnceOf(deps)) : undefined
      return run && row ? { run, row } : null
    })
    if (!next) return
    try {
      await startRow(deps, next.run, next.row)
    } catch (error) {
      if (error instanceof NotNowError) return
      throw error
    }
  }
}

/** Starts the job of one site, with the rights that the run's owner has now. */
async function startRow(
  deps: SitesDeps,
  run: BulkRun,
  { site, domain }: { site: string; domain: string },
): Promise<void> {
  const documents = deps.documents()
  const { action, arg, ...more } = bulkActions[run.action]
  const declared: Action | undefined = SiteDoctype.actions?.[action]
  const args = {
    ...('args' in more ? more.args : {}),
    ...(arg === null || run.argument === null ? {} : { [arg]: run.argument }),
    // The person confirmed all sites by their number.
    ...(declared?.confirm_field ? { confirm_name: domain } : {}),
  }
  const note = (fn: (tx: Tx, run: BulkRun, now: number) => Promise<void>) =>
    documents.transaction(systemSession('schedule'), async (tx) => {
      const stored = await tx.get(BulkRunDoctype, run.name, { lock: true })
      if (!stored) return
      const now = timeOf(deps)
      await fn(tx, stored, now)
      await recount(tx, stored, now)
    })
  const refuse = (state: 'failed' | 'skipped', why: LocalizedMessage) =>
    note((tx, { name }, now) => rowRefused(tx, { run: name, site, now }, state, why))

  let session: Session
  try {
    session = await initiatorSession(documents, run.owner, run.organization)
    await documents.runActionAnd(
      session,
      { doctype: 'Site', name: site, action, args },
      {
        async after(tx, result) {
          if (run.action === 'update_plugin') await checkPluginUpdate(tx, site, run.argument ?? '')
          await take(deps, tx, run.name, site, String(result && Reflect.get(result, 'job')))
        },
      },
    )
  } catch (error) {
    if (error instanceof NotNowError) throw error
    if (!(error instanceof AppError)) {
      deps.log.error('A site of a bulk run could not be started', { run: run.name, site, error })
      return refuse('failed', msg`Its job could not be started because of an error in Easydash.`)
    }
    // The database or this user's share of it is busy: the site gets its turn later.
    if (error.code === 'unavailable' || error.code === 'rate_limited') throw new NotNowError(error.message)
    if (error instanceof LockedError) return note((tx, { name }) => rowHeld(tx, name, site, error))
    if (error.code === 'not_found' || error.code === 'forbidden')
      return refuse('skipped', msg`You can no longer do this on the site.`)
    const isSkipped = error.code === 'invalid' || error.code === 'unsupported'
    return refuse(isSkipped ? 'skipped' : 'failed', error.localized)
  }
}

/** The row gets its job, in the transaction that creates the job. Throws NotNowError, which undoes it. */
async function take(deps: SitesDeps, tx: Tx, name: string, site: string, job: string): Promise<void> {
  const now = timeOf(deps)
  const run = await tx.get(BulkRunDoctype, name, { lock: true })
  if (run?.status !== 'Running') throw new NotNowError('The run does not go on')
  if ((await runningRows(tx, run.organization)) >= atOnceOf(deps)) throw new NotNowError('Enough sites run')
  if (!(await rowStarted(tx, name, site, job, now))) throw new NotNowError('The row does not wait')
  await tx.updateColumns(JobDoctype, job, { bulk_run: name })
  await recount(tx, run, now)
}
