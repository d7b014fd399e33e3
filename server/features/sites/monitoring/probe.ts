import { AppError } from '#shared/errors.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { errorMessage } from '#server/jobs/failure.ts'
import type { Engine, SiteRequestOptions, SiteResponse } from '#server/engines/engine.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { readHomepage, type Homepage } from '../homepage.ts'
import { decodeEntities, healthOf } from '../page-check.ts'

/** What requesting a homepage found. */
export interface ProbeResult {
  readonly state: 'up' | 'slow' | 'down'
  readonly status: number | null
  readonly ttfbMs: number | null
  readonly totalMs: number | null
  /** Why it is down; otherwise null. */
  readonly reason: LocalizedMessage | null
}

/** How a homepage is requested. */
export interface ProbeOptions extends Pick<SiteRequestOptions, 'signal' | 'countsAsUse'> {
  /** Text that the page has to contain. */
  readonly keyword: string | null
  /** The site has just started, so the first answer contains that. */
  readonly justWoke: boolean
}

/** Timeout of one visit in milliseconds. Two of them fit into a check. */
const timeoutMs = 25_000

/** Requests the homepage of a site like a visitor. A failure is confirmed by a second one before the site counts as down. */
export async function probeSite(engine: Engine, site: SiteRef, options: ProbeOptions): Promise<ProbeResult> {
  const attempt = () => probeOnce(engine, site, options)
  const first = await attempt()
  if (first.state !== 'down' && !options.justWoke) return first
  const second = await attempt()
  return second.state === 'down' && first.state !== 'down' ? attempt() : second
}

async function probeOnce(
  engine: Engine,
  site: SiteRef,
  { keyword, signal, countsAsUse }: ProbeOptions,
): Promise<ProbeResult> {
  let page: Homepage
  try {
    page = await readHomepage(engine, site, {
      timeoutMs,
      asVisitor: true,
      ...(signal ? { signal } : {}),
      ...(countsAsUse === undefined ? {} : { countsAsUse }),
    })
  } catch (error) {
    return { state: 'down', status: null, ttfbMs: null, totalMs: null, reason: errorMessage(error) }
  }
  const { response, ttfbMs, tookMs } = page
  const measured = { status: Math.min(response.status, 999), ttfbMs: Math.round(ttfbMs), totalMs: Math.round(tookMs) }
  const reason = page.problem ?? failureOf(response, keyword)
  if (reason) return { ...measured, state: 'down', reason }
  return { ...measured, state: healthOf(tookMs) === 'Slow' ? 'slow' : 'up', reason: null }
}

/** What is down for visitors, though the site may be meant to be like that: changes are not undone because of it. */
function failureOf({ status, body }: SiteResponse, keyword: string | null): LocalizedMessage | null {
  if (status === 404 || status === 410) return msg`The page answered with status ${status}.`
  if (keyword === null || body.includes(keyword) || decodeEntities(body).includes(keyword)) return null
  return msg`The page does not contain “${keyword}”.`
}

/** The keyword as it is stored; null for none. Throws if it contains control characters. */
export function keywordOf(given: string | null | undefined): string | null {
  const keyword = (given ?? '').trim()
  if (/\p{Cc}/u.test(keyword)) throw new AppError('invalid', msg`Use a text without line breaks.`, { field: 'keyword' })
  return keyword === '' ? null : keyword
}
