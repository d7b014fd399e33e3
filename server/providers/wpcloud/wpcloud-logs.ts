import * as z from 'zod/mini'
import type { VendorApi } from '../vendor-api.ts'
import { ask, idOf } from './wpcloud-api.ts'

/** A line of a log, as WP Cloud has it: names of fields with their values. */
export type WpCloudLogLine = Readonly<Record<string, unknown>>

/** What WP Cloud measured in one period. */
export interface WpCloudSample {
  /** Its start, seconds since the epoch. */
  readonly timestamp: number
  /** By metric, of all host names together; of averages the mean by requests. */
  readonly values: Readonly<Partial<Record<WpCloudMetric, number>>>
}

/** `response_time_average` in seconds, percentages from 0 to 100. */
export const wpCloudMetrics = ['requests', 'response_time_average', 'edge_cache_hit_percentage'] as const
export type WpCloudMetric = (typeof wpCloudMetrics)[number]

/** Times are seconds since the epoch. */
export interface TimeRange {
  readonly start: number
  readonly end: number
}

/** Logs and metrics of sites (https://wp.cloud/docs/, "Error logs", "Web server logs", "Metrics"). */
export interface WpCloudLogs {
  /** Newest first, from a cursor on; `php`: its errors, `access`: requests that no edge cache answered. WP Cloud has 28 days. */
  log(
    site: string,
    name: 'php' | 'access',
    part: TimeRange & { readonly cursor: string | null },
    signal?: AbortSignal,
  ): Promise<{ readonly lines: readonly WpCloudLogLine[]; readonly next: string | null }>
  /** At most 100 periods; `resolution`: their length in seconds, which WP Cloud chooses. */
  metrics(
    site: string,
    range: TimeRange,
    signal?: AbortSignal,
  ): Promise<{ readonly resolution: number; readonly samples: readonly WpCloudSample[] }>
}

const pageSize = 200

const page = z.object({
  logs: z.array(z.record(z.string(), z.unknown())),
  scroll_id: z.optional(z.nullable(z.string().check(z.maxLength(4000)))),
})

const series = z.object({
  _meta: z.object({ resolution: z.number() }),
  periods: z.array(z.looseObject({ timestamp: z.number() })),
})

export function wpCloudLogs(api: VendorApi): WpCloudLogs {
  return {
    async log(site, name, { start, end, cursor }, signal) {
      const path = `/${name === 'php' ? 'site-error-logs' : 'site-logs'}/${idOf(site)}`
      const asked = {
        start,
        end,
        page_size: pageSize,
        sort_order: 'desc',
        ...(cursor !== null && { scroll_id: cursor }),
      }
      const form = Object.fromEntries(Object.entries(asked).map(([key, value]) => [`data[${key}]`, String(value)]))
      const found = await ask(api, { method: 'POST', path, form, tries: 3, signal }, page)
      return { lines: found.logs, next: found.logs.length < pageSize ? null : (found.scroll_id ?? null) }
    },
    async metrics(site, { start, end }, signal) {
      const form = { start: String(start), end: String(end), metric: wpCloudMetrics, dimension: 'http_host' }
      const request = { method: 'POST', path: `/metrics/site/${idOf(site)}`, form, tries: 3, signal } as const
      const found = await ask(api, request, series)
      return { resolution: found._meta.resolution, samples: found.periods.map(sampleOf) }
    },
  }
}

type Numbers = Readonly<Record<string, unknown>>

const isNumbers = (value: unknown): value is Numbers => typeof value === 'object' && value !== null

/** A site has several host names, of which most requests have one. */
function sampleOf(period: { readonly timestamp: number; readonly [key: string]: unknown }): WpCloudSample {
  const groups = isNumbers(period['http_host']) ? period['http_host'] : {}
  const of = (metric: WpCloudMetric): [host: string, value: number][] =>
    Object.entries(isNumbers(groups[metric]) ? groups[metric] : {}).flatMap(([host, value]) =>
      typeof value === 'number' && Number.isFinite(value) ? [[host, value]] : [],
    )
  const requests = new Map(of('requests'))
  const total = [...requests.values()].reduce((sum, value) => sum + value, 0)
  const mean = (metric: WpCloudMetric): number | undefined => {
    const values = of(metric)
    if (values.length === 0) return undefined
    const weight = (host: string) => (total > 0 ? (requests.get(host) ?? 0) / total : 1 / values.length)
    return values.reduce((sum, [host, value]) => sum + value * weight(host), 0)
  }
  const values: Partial<Record<WpCloudMetric, number>> = requests.size > 0 ? { requests: total } : {}
  for (const metric of ['response_time_average', 'edge_cache_hit_percentage'] as const) {
    const value = mean(metric)
    if (value !== undefined) values[metric] = value
  }
  return { timestamp: period.timestamp, values }
}
