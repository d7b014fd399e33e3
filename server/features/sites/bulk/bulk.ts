import type { Feature } from '#server/contracts/feature.ts'
import { formatTimestamp, repeat, systemClock, type RepeatingTask } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { BulkRunDoctype } from '#shared/doctypes/bulk-run.ts'
import type { SitesDeps } from '../deps.ts'
import { advanceBulkRuns } from './bulk-advance.ts'
import { bulkRunActions } from './bulk-actions.ts'
import { bulkMethods } from './bulk-methods.ts'

/** Looks even without an event, because events can be lost. */
const lookEveryMs = 5000
/** Days after which an ended run is deleted, like the logs of its jobs. */
const keptDays = 90

/** Bulk runs: one action on many sites. */
export function createBulk(deps: SitesDeps) {
  let task: RepeatingTask | null = null
  const soon = () => task?.soon()
  return {
    controllers: [bulkRunActions(deps, soon)],
    methods: bulkMethods(soon),
    sweeps: [
      {
        name: 'sites.bulk_runs',
        everySeconds: 86_400,
        run: () =>
          deps.documents().transaction(systemSession('schedule'), async (tx) => {
            const before = formatTimestamp((deps.clock ?? systemClock).now() - keptDays * 86_400_000)
            const filters = [['ended', '<', before]] as const
            const count = await tx.count(BulkRunDoctype, filters)
            await tx.deleteWhere(BulkRunDoctype, filters)
            return count
          }),
      },
    ],
    /** A job ended, or was retried. */
    on({ doctype }: { readonly doctype: string }) {
      if (doctype === 'Job') soon()
    },
    start() {
      task = repeat(systemClock, lookEveryMs, () =>
        advanceBulkRuns(deps).catch((error: unknown) => deps.log.warn('Bulk runs could not go on', { error })),
      )
    },
    async stop() {
      await task?.stop()
    },
  } satisfies Feature
}
