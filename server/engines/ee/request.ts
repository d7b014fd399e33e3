import { safeFetch, type FetchOptions } from '#server/platform/network/fetch.ts'
import type { SiteRequestOptions, SiteResponse } from '../engine.ts'
import type { SiteRef } from '../site-ref.ts'
import { assertSite } from './arguments.ts'
import { targetOf, type EeContext } from './ee-context.ts'
import { look } from './remote.ts'

/** The user of our own requests, for HTTP authentication. */
export const ownUser = 'easydash-check'

const defaultTimeoutMs = 30_000
/** More than a homepage has. */
const maxBytes = 5 * 1_048_576

/** Address of a site for its visitors. */
export const addressOf = ({ domain, isSecure }: Pick<SiteRef, 'domain' | 'isSecure'>): string =>
  `${isSecure === true ? 'https' : 'http'}://${domain}`

/** Requests a page of a site at its server, wherever its domain leads at the moment. Redirects are returned. */
async function requestSite(
  { config }: Pick<EeContext, 'config'>,
  site: SiteRef,
  path: string,
  { timeoutMs = defaultTimeoutMs, signal, headers: sent = {} }: SiteRequestOptions & Pick<FetchOptions, 'headers'> = {},
): Promise<SiteResponse> {
  assertSite(site)
  const started = performance.now()
  let ttfbMs = 0
  const { status, headers, body } = await safeFetch(`${addressOf(site)}${path}`, {
    profile: 'tenant',
    ...config,
    at: targetOf(site.server).address,
    maxBytes,
    headers: sent,
    timeoutMs,
    onHeaders: () => {
      ttfbMs = performance.now() - started
    },
    ...(signal === undefined ? {} : { signal }),
  })
  return { status, headers: { ...headers }, body: body.toString('utf8'), ttfbMs, tookMs: performance.now() - started }
}

/**
 * Requests a page like a visitor who has the password: HTTP authentication has a user of ours, whose password only the server knows. It is
 * asked for it when it refuses a request.
 */
export async function requestAsOurselves(
  context: EeContext,
  site: SiteRef,
  path: string,
  options: SiteRequestOptions = {},
): Promise<SiteResponse> {
  const headers = headersOf(context.ownPasswords.get(site.id))
  const response = await requestSite(context, site, path, { ...options, headers })
  if (response.status !== 401) return response
  const { code, stdout } = await look(context, site.server, {
    script: 'own-key',
    args: [site.domain],
    signal: options.signal,
  })
  const [password] = /^[A-Za-z0-9]{24}$/.exec(stdout.trim()) ?? []
  if (code !== 0 || password === undefined) return response
  context.ownPasswords.set(site.id, password)
  return requestSite(context, site, path, { ...options, headers: headersOf(password) })
}

const headersOf = (password: string | undefined): Readonly<Record<string, string>> =>
  password === undefined ? {} : { authorization: `Basic ${Buffer.from(`${ownUser}:${password}`).toString('base64')}` }

/** Address at which browsers reach a site. */
export const browserAddress = ({ sitesUrlPattern }: Pick<EeContext, 'sitesUrlPattern'>, site: SiteRef): string =>
  sitesUrlPattern?.replace('{domain}', site.domain) ?? addressOf(site)
