import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { SitesDeps } from '../deps.ts'
import { expireRuns } from './console-table.ts'

/** Forgets old runs of the consoles, also of sites whose consoles nobody uses any more. */
export async function expireConsoleRuns(deps: SitesDeps): Promise<void> {
  const now = formatTimestamp((deps.clock ?? systemClock).now())
  await deps.documents().transaction(systemSession('schedule'), (tx) => expireRuns(tx, now))
}
