import type { SiteLogs } from '#server/engines/site-logs.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { maxSlowPages, type SlowPage } from '#shared/responses/site-findings.ts'
import { readAccessLine } from '#shared/rules/access-line.ts'

/** A page that takes longer is slow, in milliseconds. */
export const slowPageMs: number = 2_000

/** Requests of visitors that took long. */
export interface SlowPages {
  readonly count: number
  /** The slowest, slowest first. */
  readonly pages: readonly SlowPage[]
  /** Earlier requests of the time were not read. */
  readonly atLeast: boolean
}

/** Most parts of the log that are read: 4 MB, some 20,000 requests. */
const maxParts = 16
/** Most different pages that are counted. */
const maxPaths = 1_000

/** What people who work on the site wait for is no page of its visitors. */
const notForVisitors = /(?:^|\/)(?:wp-admin\/|wp-(?:login|cron)\.php)/

/**
 * Pages over two seconds since a time (milliseconds since 1970), from the access log. Only requests that a running site answered count, and
 * only the time it took itself: neither its start nor the visitor's connection. Null: there were none, or none was slow in what could be read.
 */
export async function readSlowPages(logs: SiteLogs, site: SiteRef, since: number): Promise<SlowPages | null> {
  const counter = createCounter(since)
  let chunk = await logs.read(site, 'access', { from: 'end' })
  let isWhole = counter.add(chunk.lines)
  for (let part = 1; !isWhole && chunk.start !== null && part < maxParts; part += 1) {
    chunk = await logs.read(site, 'access', { before: chunk.start })
    isWhole = counter.add(chunk.lines)
  }
  return counter.result(isWhole || chunk.start === null)
}

/** `add` takes older and older parts, and returns whether one began before the time. */
function createCounter(since: number) {
  const pages = new Map<string, { count: number; slowest: number }>()
  let measured = 0
  let count = 0
  const addLine = (line: string): boolean => {
    const fields = readAccessLine(line)
    if (fields === null || fields.at === null) return false
    const { at, address, method, siteMs } = fields
    // The log has no fractions of seconds.
    if (at < since - 1_000) return true
    const path = fields.target.split('?', 1)[0]?.slice(0, 300) ?? '/'
    if (address === '-' || siteMs === null || method !== 'GET' || notForVisitors.test(path)) return false
    measured += 1
    if (siteMs <= slowPageMs) return false
    count += 1
    const known = pages.get(path)
    if (known) Object.assign(known, { count: known.count + 1, slowest: Math.max(known.slowest, siteMs) })
    else if (pages.size < maxPaths) pages.set(path, { count: 1, slowest: siteMs })
    return false
  }
  return {
    add(lines: readonly string[]): boolean {
      let isOlder = false
      for (const line of lines) if (addLine(line)) isOlder = true
      return isOlder
    },
    result(isWhole: boolean): SlowPages | null {
      if (measured === 0 || (count === 0 && !isWhole)) return null
      const slowest = [...pages]
        .map(([path, page]): SlowPage => ({ path, count: page.count, slowest_ms: page.slowest }))
        .sort((one, other) => other.slowest_ms - one.slowest_ms)
        .slice(0, maxSlowPages)
      return { count, pages: slowest, atLeast: !isWhole }
    },
  }
}
