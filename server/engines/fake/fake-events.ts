import type { SiteRef } from '../site-ref.ts'
import type { FakeContext } from './fake-context.ts'
import type { FakeSite } from './fake-site.ts'
import { existingSite, readSite, writeSite } from './fake-store.ts'
import { newWordPress } from './fake-wordpress-state.ts'

const wordpressOf = ({ management, adminUser }: FakeSite) => management ?? newWordPress(adminUser)

/** Schedules an event that is due and does not come again. */
export function addFakeEvent(context: FakeContext, id: string, hook: string): void {
  const known = readSite(context, id)
  if (known === null) return
  const management = wordpressOf(known)
  const at = Math.floor(context.now() / 1000) - 60
  management.facts.events.rows.push({
    id: `${at}|${'0'.repeat(32)}|${hook}`,
    hook,
    at,
    interval_seconds: null,
    schedule: null,
  })
  management.facts.events.total += 1
  writeSite(context, { ...known, management })
}

/** Runs what is due, unless events are paused; returns how many ran: the one that every site has counts each time. */
export function runFakeEvents(context: FakeContext, site: SiteRef): number {
  const known = existingSite(context, site)
  if (known.siteType !== 'wp') return 0
  const management = wordpressOf(known)
  const { events } = management.facts
  if (events.paused) return 0
  const due = events.rows.filter((row) => row.at * 1000 <= context.now())
  // Those that come again stay as they are: the fake has no time of its own for the next one.
  const left = events.rows.filter((row) => row.interval_seconds !== null || !due.includes(row))
  Object.assign(events, { rows: left, total: left.length })
  writeSite(context, { ...known, management })
  return due.length + 1
}
