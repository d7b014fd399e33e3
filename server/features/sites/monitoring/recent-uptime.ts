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
  // Of each hour and state one row: what they say together is decided here, which is faster than in the statement.
  const { rows } = await sql<{ site: string; at: number; state: UptimeState; checks: number; ms: number | null }>`
    select site, extract(epoch from hour)::int as at, state, checks, ms from (
      select site, date_trunc('hour', at) as hour, state, count(*)::int as checks, sum(total_ms) as ms
      from easydash_site_uptime
      where site = any(${sites}) and at >= to_timestamp(${from}) at time zone 'UTC'
        and at <= to_timestamp(${Math.floor(now / 1000)}) at time zone 'UTC'
      group by 1, 2, 3) hours`.execute(tx.trx)
  const bySite = Map.groupBy(rows, ({ site }) => site)
  return new Map(sites.map((site) => [site, dayOf(bySite.get(site) ?? [], from)]))
}

/** The worst first. */
const ranks: readonly UptimeState[] = ['down', 'slow', 'up', 'paused', 'asleep']

function dayOf(
  rows: readonly {
    readonly at: number
    readonly state: UptimeState
    readonly checks: number
    readonly ms: number | null
  }[],
  from: number,
): RecentUptime {
  const byHour = Map.groupBy(rows, ({ at }) => (at - from) / hour)
  const hours = Array.from({ length: recentHours }, (_, at) => byHour.get(at) ?? [])
  const isAnswer = ({ state }: { readonly state: UptimeState }) => state === 'up' || state === 'slow'
  const checksOf = (some: typeof rows) => some.reduce((sum, { checks }) => sum + checks, 0)
  const answered = checksOf(rows.filter(isAnswer))
  const checked = answered + checksOf(rows.filter(({ state }) => state === 'down'))
  return {
    states: hours.map((found) => ranks.find((state) => found.some((one) => one.state === state)) ?? null),
    ms: hours.map((found) => {
      const answers = found.filter(isAnswer)
      const checks = checksOf(answers)
      return checks === 0 ? null : Math.round(answers.reduce((sum, { ms }) => sum + (ms ?? 0), 0) / checks)
    }),
    availability: checked === 0 ? null : answered / checked,
  }
}
