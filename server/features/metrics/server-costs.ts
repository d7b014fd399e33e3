import { sql } from 'kysely'
import type { Tx } from '#server/contracts/transaction.ts'
import type { Server } from '#shared/doctypes/server.ts'
import type { ServerCosts } from '#shared/responses/servers.ts'
import { mostSamples } from '#shared/rules/metric-ranges.ts'

const hourMs = 3_600_000

/** A processor that is used less, in percent, in all but a twentieth of the samples is too big. */
const leastPercent = 10

/** Samples that can be missing without a doubt about those that are there. */
const fewestSamples = mostSamples * 0.9

type Priced = Pick<
  Server,
  'name' | 'creation' | 'status' | 'provider_id' | 'price_hourly' | 'price_monthly' | 'price_currency'
>

/** What a server cost this month until `now` (milliseconds since 1970), and whether a smaller type would do. */
export async function serverCosts(tx: Tx, server: Priced, now: number): Promise<ServerCosts> {
  if (server.provider_id === null || server.status === 'Decommissioned')
    return { this_month: null, currency: null, oversized: false }
  return {
    this_month: monthToDate(server, now),
    currency: server.price_currency,
    oversized: await isOversized(tx, server.name, now),
  }
}

/** Vendors bill each hour that was begun, and no more than the price of a month in each calendar month. */
function monthToDate({ creation, price_hourly: hourly, price_monthly: monthly }: Priced, now: number): number | null {
  if (hourly === null || monthly === null) return null
  const today = new Date(now)
  const month = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 1)
  const since = Math.max(month, Date.parse(`${creation.slice(0, 19).replace(' ', 'T')}Z`))
  const hours = Math.max(0, Math.ceil((now - since) / hourMs))
  return Math.round(Math.min(hours * Number(hourly), Number(monthly)) * 100) / 100
}

async function isOversized(tx: Tx, server: string, now: number): Promise<boolean> {
  const since = new Date(now - 7 * 24 * hourMs).toISOString().slice(0, 19)
  const { rows } = await sql<{ samples: number; percent: number | null }>`
    select count(*)::int as samples, percentile_cont(0.95) within group (order by cpu_total) as percent
    from easydash_server_sample where server = ${server} and slot >= ${since}::timestamp`.execute(tx.trx)
  const [{ samples, percent } = { samples: 0, percent: null }] = rows
  return samples >= fewestSamples && percent !== null && percent < leastPercent
}
