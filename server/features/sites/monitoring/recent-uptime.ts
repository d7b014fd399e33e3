import { sql } from 'kysely'
import { defineMethod, type Method } from '#server/contracts/method.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { systemClock } from '#server/jobs/clock.ts'
import { AppError } from '#shared/errors.ts'
import { json } from '#shared/fields.ts'
import { msg } from '#shared/localized-message.ts'
import { recentHours, recentUptime, type RecentUptime } from '#shared/responses/uptime.ts'
import type { UptimeState } from '#shared/rules/uptime.ts'
import type { SitesDeps } from '../deps.ts'

const hour = 3_600
/** Each has up to 1,440 checks. */
const mostSites = 200

/** What the checks of the last 24 hours found, for lists of sites. */
export const recentUptimeMethod = (deps: SitesDeps): Method =>
  defineMethod({
    name: 'easydash.api.site.recent_uptime',
    access: 'verified',
    verbs: ['GET', 'POST'],
    tokens: 'sites:read',
    params: { sites: json<string[]>({ reqd: true, is_list: 'texts', max_bytes: 65_536 }) },
    description:
      'Whether sites answered in each of the last 24 hours, and how fast. In the order of `sites`; null for one that is not found.',
    returns: recentUptime,
    async run({ sites }, { session, documents }) {
      const named = sites ?? []
      if (named.length > mostSites)
        throw new AppError('invalid', msg`At most ${mostSites} sites at once.`, { field: 'sites' })
      // The gate decides which of them can be read.
      const rows = await documents.list(session, 'Site', {
        fields: ['name'],
        filters: [['name', 'in', named]],
        limit: mostSites,
      })
      const now = (deps.clock ?? systemClock).now()
      const names = rows.map(({ name }) => String(name))
      const found = await documents.transaction(session, (tx) => readRecentUptime(tx, names, now))
      return named.map((name) => found.get(name) ?? null)
    },
  })

/** The same of sites, each of which is in the result. `now`: milliseconds since 1970. */
async function readRecentUptime(tx: Tx, sites: readonly string[], now: number): Promise<Map<string, RecentUptime>> {
  const from = (Math.floor(now / 1000 / hour) + 1 - recentHours) * hour
  const { rows } = await sql<{
    site: string
    at: number
    state: UptimeState
    ms: number | null
    answered: number
    checked: number
  }>`
    select site, floor((extract(epoch from at) - ${from}::int) / ${hour}::int)::int as at,
      case when bool_or(state = 'down') then 'down' when bool_or(state = 'slow') then 'slow' when bool_or(state = 'up') then 'up'
        when bool_or(state = 'paused') then 'paused' else 'asleep' end as state,
      round(avg(total_ms) filter (where state in ('up', 'slow')))::int as ms,
      count(*) filter (where state in ('up', 'slow'))::int as answered,
      count(*) filter (where state in ('up', 'slow', 'down'))::int as checked
    from easydash_site_uptime
    where site = any(${sites}) and at >= to_timestamp(${from}) at time zone 'UTC'
      and at <= to_timestamp(${Math.floor(now / 1000)}) at time zone 'UTC'
    group by 1, 2`.execute(tx.trx)
  const bySite = Map.groupBy(rows, ({ site }) => site)
  const nothing = () => Array.from({ length: recentHours }, () => null)
  return new Map(
    sites.map((site) => {
      const [states, ms]: [(UptimeState | null)[], (number | null)[]] = [nothing(), nothing()]
      let [answered, checked] = [0, 0]
      for (const row of bySite.get(site) ?? []) {
        states[row.at] = row.state
        ms[row.at] = row.ms
        answered += row.answered
        checked += row.checked
      }
      return [site, { states, ms, availability: checked === 0 ? null : answered / checked }]
    }),
  )
}
