import type { Engine, SiteRequestOptions, SiteResponse } from '#server/engines/engine.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'

/** What a visitor of the homepage gets, after the redirects within the site. */
export interface Homepage {
  /** The last response. */
  readonly response: SiteResponse
  /** Milliseconds until its status and headers were received, redirects before it included. */
  readonly ttfbMs: number
  /** Milliseconds of all requests. */
  readonly tookMs: number
  /** Why it does not work; null if it does: it may lead elsewhere, be private or not found. */
  readonly problem: LocalizedMessage | null
}

/** Redirects followed within the site; browsers give up after 20. */
const maxRedirects = 10

/**
 * Requests the homepage like a visitor and follows redirects within the site. `timeoutMs` holds for all requests together. Throws what
 * the engine throws if a request gets no response.
 */
export async function readHomepage(
  engine: Engine,
  site: SiteRef,
  { timeoutMs, ...options }: SiteRequestOptions & { readonly timeoutMs: number },
): Promise<Homepage> {
  const home = new URL(engine.siteUrl(site))
  const seen = new Set<string>()
  let path = '/'
  let tookMs = 0
  for (;;) {
    seen.add(path)
    const left = Math.max(1, Math.round(timeoutMs - tookMs))
    const response = await engine.request(site, path, { ...options, timeoutMs: left })
    const ttfbMs = tookMs + response.ttfbMs
    tookMs += response.tookMs
    const next = redirectWithin(home, path, response)
    const isLoop = next !== null && (seen.has(next) || seen.size > maxRedirects)
    if (next === null || isLoop) {
      const problem = isLoop ? msg`The page redirects in a loop.` : failureOf(response)
      return { response, ttfbMs, tookMs, problem }
    }
    path = next
  }
}

function failureOf({ status, body }: SiteResponse): LocalizedMessage | null {
  if (status >= 500) return msg`The page answered with status ${status}.`
  return status === 200 && body.trim() === '' ? msg`The page is empty.` : null
}

/** Path that a response redirects to on the same site; null if it is no redirect, or leads elsewhere. */
function redirectWithin(home: URL, path: string, { status, headers }: SiteResponse): string | null {
  const { location } = headers
  if (status < 300 || status >= 400 || location === undefined) return null
  const target = URL.parse(location, new URL(path, home).href)
  return target !== null && target.origin === home.origin ? target.pathname + target.search : null
}
