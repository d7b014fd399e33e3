import type { Uptime, UptimeBucket } from '#shared/responses/uptime.ts'
import {
  quietSampleSeconds,
  uptimeRangeKeys,
  uptimeRanges,
  type UptimeRange,
  type UptimeState,
} from '#shared/rules/uptime.ts'
import { parseTime } from '#web/lib/i18n/format-day.ts'

/** One interval of the graphs. */
export interface Interval {
  /** Its start, in seconds since 1970. */
  readonly at: number
  /** Null: nothing was measured. */
  readonly state: UptimeState | null
  readonly bucket: UptimeBucket | null
}

/** The worst that the checks of an interval found; without checks, why there were none. */
function stateOf(bucket: UptimeBucket): UptimeState | null {
  for (const state of ['down', 'slow', 'up', 'paused', 'asleep'] as const) if (bucket[state] > 0) return state
  return null
}

/**
 * All intervals of a range, oldest first. A sleeping or paused site has a sample every five minutes only, so its state goes on
 * until then.
 */
export function intervalsOf({ from, to, bucket_seconds: length, buckets }: Uptime): Interval[] {
  if (length <= 0) return []
  const byStart = new Map(buckets.map((bucket) => [bucket.at, bucket]))
  const intervals: Interval[] = []
  let quiet: { state: UptimeState; until: number } | null = null
  for (let at = from; at <= to && intervals.length < 305; at += length) {
    const bucket = byStart.get(at) ?? null
    const found = bucket && stateOf(bucket)
    if (bucket && found) {
      const isQuiet = found === 'asleep' || found === 'paused'
      quiet = isQuiet ? { state: found, until: at + length + quietSampleSeconds } : null
    }
    intervals.push({ at, bucket, state: found ?? (quiet && at < quiet.until ? quiet.state : null) })
  }
  return intervals
}

/** The highest value of the axis for these milliseconds: 1, 2 or 5 times a power of ten. */
export function axisTop(most: number): number {
  if (!(most > 0)) return 100
  const power = 10 ** Math.floor(Math.log10(most))
  const step = [1, 2, 5, 10].find((factor) => factor * power >= most) ?? 10
  return Math.max(10, step * power)
}

/**
 * SVG path of one value over the intervals, in a box of 1000 by `height`; broken where nothing was measured. A single point is a
 * short line.
 */
export function linePath(
  intervals: readonly Interval[],
  valueOf: (bucket: UptimeBucket) => number | null,
  top: number,
  height: number,
): string {
  const width = 1000 / Math.max(1, intervals.length)
  let path = ''
  let open = false
  for (const [index, { bucket }] of intervals.entries()) {
    const value = bucket ? valueOf(bucket) : null
    if (value === null) {
      open = false
      continue
    }
    const y = (height - (Math.min(value, top) / top) * height).toFixed(1)
    path += `${open ? 'L' : 'M'}${((index + 0.5) * width).toFixed(1)} ${y}`
    if (!open) path += `h0.1`
    open = true
  }
  return path
}

/** Index of the interval at a time (seconds since 1970); -1 outside of the range. */
export function indexAt({ from, bucket_seconds: length }: Uptime, count: number, seconds: number): number {
  const index = Math.floor((seconds - from) / length)
  return index >= 0 && index < count ? index : -1
}

/**
 * The range shown first: a day, or less for a site younger than that, whose few checks would be a dot at the end of the graph.
 * @param now in milliseconds since 1970
 */
export function rangeOfAge(creation: string | undefined, now: number): UptimeRange {
  const created = parseTime(creation)?.getTime() ?? 0
  const fits = (key: UptimeRange) => now - created <= uptimeRanges[key].seconds * 1000
  return uptimeRangeKeys.slice(0, uptimeRangeKeys.indexOf('24h')).find(fits) ?? '24h'
}
