import { controller, type Controller } from '#server/contracts/controller.ts'
import { systemClock } from '#server/jobs/clock.ts'
import { BulkRunDoctype, type BulkRun } from '#shared/doctypes/bulk-run.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { SitesDeps } from '../deps.ts'
import { cancelWaiting, readRows, recount, retryFailed } from './bulk-rows.ts'

/** Actions of a bulk run. `soon` makes it go on. */
export function bulkRunActions(deps: SitesDeps, soon: () => void): Controller {
  const now = () => (deps.clock ?? systemClock).now()
  /** It goes on with the rights of the person who says so: nobody uses another one's. */
  const goOn = async (tx: Tx, run: BulkRun, owner: string): Promise<null> => {
    await recount(tx, run, now(), { status: 'Running', owner })
    tx.afterCommit(soon)
    return null
  }
  return controller(BulkRunDoctype, {
    actions: {
      rows: async (run, _args, { tx }) => readRows(tx, run.name),
      async pause(run, _args, { tx }) {
        await recount(tx, run, now(), { status: 'Paused' })
        return null
      },
      resume: async (run, _args, { tx, session }) => goOn(tx, run, session.user),
      async cancel(run, _args, { tx }) {
        await cancelWaiting(tx, run.name, now())
        await recount(tx, run, now(), { status: 'Cancelled' })
        return null
      },
      async retry_failed(run, _args, { tx, session }) {
        if ((await retryFailed(tx, run.name)) === 0) throw new AppError('invalid', msg`No site failed.`)
        return goOn(tx, { ...run, ended: null }, session.user)
      },
    },
  })
}
