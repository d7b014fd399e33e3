import type { Sweep } from '#server/contracts/schedule.ts'
import { systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { SitesDeps } from '../deps.ts'
import { deleteOldUptime } from './uptime-tables.ts'

/** Deletes checks and incidents that are too old. */
export function uptimeSweep(deps: SitesDeps): Sweep {
  return {
    name: 'sites.uptime',
    everySeconds: 3600,
    run: () =>
      deps
        .documents()
        .transaction(systemSession('schedule'), (tx) => deleteOldUptime(tx, (deps.clock ?? systemClock).now())),
  }
}
