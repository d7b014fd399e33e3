import { safeFetch } from '#server/platform/network/fetch.ts'
import type { SiteRequestOptions, SiteResponse } from '../engine.ts'
import type { SiteRef } from '../site-ref.ts'
import { assertSite } from './arguments.ts'
import { targetOf, type EeContext } from './ee-context.ts'

const defaultTimeoutMs = 30_000
/** More than a homepage has. */
const maxBytes = 5 * 1_048_576

/** Address of a site for its visitors. */
export const addressOf = ({ domain, isSecure }: Pick<SiteRef, 'domain' | 'isSecure'>): string =>
  `${isSecure === true ? 'https' : 'http'}://${domain}`

/** Requests a page of a site at its server, wherever its domain leads at the moment. Redirects are returned. */
export async function requestSite(
  { config }: Pick<EeContext, 'config'>,
  site: SiteRef,
  path: string,
  { timeoutMs = defaultTimeoutMs, signal }: SiteRequestOptions = {},
): Promise<SiteResponse> {
  assertSite(site)
  const started = performance.now()
  let ttfbMs = 0
  const { status, headers, body } = await safeFetch(`${addressOf(site)}${path}`, {
    profile: 'tenant',
    ...config,
    at: targetOf(site.server).address,
    maxBytes,
    timeoutMs,
    onHeaders: () => {
      ttfbMs = performance.now() - started
    },
    ...(signal === undefined ? {} : { signal }),
  })
  return { status, headers: { ...headers }, body: body.toString('utf8'), ttfbMs, tookMs: performance.now() - started }
}

/** Address at which browsers reach a site. */
export const browserAddress = ({ sitesUrlPattern }: Pick<EeContext, 'sitesUrlPattern'>, site: SiteRef): string =>
  sitesUrlPattern?.replace('{domain}', site.domain) ?? addressOf(site)
