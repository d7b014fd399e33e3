import { recentHours, recentUptime, type RecentUptime as Recent } from '#shared/responses/uptime.ts'
import { call } from '#web/lib/api/api.ts'
import { createBatch } from '#web/lib/api/batched-reads.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { methodKey } from '#web/lib/api/data-keys.ts'
import { useLoaded } from '#web/lib/api/frappe.tsx'
import { formatDuration, formatPercent } from '#web/lib/i18n/format.ts'
import { t } from './site-card-messages.ts'

const method = 'easydash.api.site.recent_uptime'
const failure = 'There was an error while fetching the checks.'

const read = createBatch<string>({
  method,
  parameter: 'sites',
  maxQueries: 200,
  failure,
  priority: 'low',
  windowMs: 80,
  // One that nobody can read any more has none.
  alone: async (site) => {
    const [found = null] = await call<readonly unknown[]>(method, { sites: [site] }, { verb: 'GET', failure })
    return found
  },
})

const refreshMs = 300_000
const [width, height] = [72, 14]
const step = width / recentHours

/** Bars of the hours that have one of these states: as high as the site was slow, and full where it was down. */
function barsOf({ states, ms }: Recent, shown: readonly (string | null)[]): string {
  const most = Math.max(...ms.map((one) => one ?? 0), 1)
  return states
    .map((state, at) => {
      if (!shown.includes(state)) return ''
      const part = state === 'down' ? 1 : state === 'up' || state === 'slow' ? (ms[at] ?? 0) / most : 0
      const bar = Math.max(1.5, part * height)
      return `M${(at * step).toFixed(1)} ${height}v-${bar.toFixed(1)}h${step - 1}v${bar.toFixed(1)}z`
    })
    .join('')
}

/** A day of a site at a glance: whether it answered each hour, how fast, and how often of all checks. */
export function RecentUptime({ site }: { site: string }) {
  const { data } = useLoaded(
    methodKey(method, { sites: [site] }),
    async () => checkedResult(recentUptime, [await read(site)])[0] ?? null,
    { refreshInterval: refreshMs, freshMs: refreshMs, revalidateOnFocus: false },
  )
  if (!data || data.availability === null) return null
  const answers = data.ms.filter((ms) => ms !== null)
  const average = answers.reduce((sum, ms) => sum + ms, 0) / answers.length
  const share = formatPercent(Math.floor(data.availability * 10_000) / 100, 2)
  const text =
    answers.length > 0
      ? t('uptime.day', { share, average: formatDuration(average / 1000) })
      : t('uptime.day_down', { share })
  return (
    <span className="flex h-4 items-center gap-1.5 text-meta text-muted max-md:hidden" title={text}>
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={text}>
        {/* Hours of which nothing is known have a place, too. */}
        <path d={`M0 ${height - 0.5}H${width}`} className="stroke-border" />
        <path d={barsOf(data, ['up'])} className="fill-m-ok" />
        <path d={barsOf(data, ['slow'])} className="fill-m-warn" />
        <path d={barsOf(data, ['down'])} className="fill-m-bad" />
        <path d={barsOf(data, ['asleep', 'paused'])} className="fill-m-quiet" />
      </svg>
      <span aria-hidden="true" className="tabular-nums">
        {share}
      </span>
    </span>
  )
}
