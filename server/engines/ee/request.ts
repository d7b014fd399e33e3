import { safeFetch, type FetchOptions } from '#server/platform/network/fetch.ts'
import { SshError } from '#server/platform/ssh/ssh-error.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../engine.ts'
import type { SiteRef } from '../site-ref.ts'
import type { SiteRequestOptions, SiteResponse } from '../site-request.ts'
import { assertSite } from './arguments.ts'
import { targetOf, type EeContext } from './ee-context.ts'
import { closedHeader, closedWord, passHeader } from './maintenance.ts'
import { look, outputOf } from './remote.ts'

/** The user of our own requests, for HTTP authentication. */
export const ownUser = 'easydash-check'

const defaultTimeoutMs = 30_000
/** More than a homepage has. */
const maxBytes = 5 * 1_048_576

/** Address of a site for its visitors. */
export const addressOf = ({ domain, isSecure }: Pick<SiteRef, 'domain' | 'isSecure'>): string =>
  `${isSecure === true ? 'https' : 'http'}://${domain}`

/** A response as it came. */
type RawResponse = Omit<SiteResponse, 'body'> & { readonly body: Buffer }

type RequestOptions = Pick<SiteRequestOptions, 'timeoutMs' | 'signal' | 'asVisitor'> &
  Pick<FetchOptions, 'headers' | 'certificate'>

/** With it, neither the proxy nor Redis answers with a page that they keep. Source: EasyEngine/site-command, vhost_location.conf.mustache; main.conf.mustache. */
const uncached = 'wordpress_no_cache=1'

/** Requests a page of a site at its server, wherever its domain leads at the moment. Redirects are returned. */
async function requestSite(
  { config }: Pick<EeContext, 'config'>,
  site: SiteRef,
  path: string,
  { timeoutMs = defaultTimeoutMs, signal, headers: sent = {}, certificate }: RequestOptions,
): Promise<RawResponse> {
  assertSite(site)
  const started = performance.now()
  let ttfbMs = 0
  const { status, headers, body } = await safeFetch(`${addressOf(site)}${path}`, {
    profile: 'tenant',
    ...config,
    at: targetOf(site.server).address,
    maxBytes,
    headers: { ...sent, cookie: [sent['cookie'], uncached].filter((one) => one !== undefined).join('; ') },
    timeoutMs,
    onHeaders: () => {
      ttfbMs = performance.now() - started
    },
    ...(signal === undefined ? {} : { signal }),
    ...(certificate === undefined ? {} : { certificate }),
  })
  return { status, headers: { ...headers }, body, ttfbMs, tookMs: performance.now() - started }
}

/** See `readAsOurselves`; the body is text. */
export async function requestAsOurselves(
  context: EeContext,
  site: SiteRef,
  path: string,
  options: SiteRequestOptions = {},
): Promise<SiteResponse> {
  const response = await readAsOurselves(context, site, path, options)
  return { ...response, body: response.body.toString('utf8') }
}

/**
 * Requests a page like a visitor who has the password, and whom maintenance does not concern: HTTP authentication has a user of ours, and the
 * maintenance page a header, which only the server knows. It is asked for them when it refuses a request.
 */
export async function readAsOurselves(
  context: EeContext,
  site: SiteRef,
  path: string,
  options: RequestOptions,
): Promise<RawResponse> {
  const request = async (own: Readonly<Record<string, string>>) => {
    const send = (headers: typeof own) =>
      requestKnown(context, site, path, { ...options, headers: { ...options.headers, ...headers } })
    if (options.asVisitor !== true) return send(own)
    const { [passHeader]: _pass, ...visitor } = own
    const response = await send(visitor)
    if (response.headers[closedHeader] === closedWord) throw keptOut()
    return response.headers[closedHeader] === undefined ? response : send(own)
  }
  const response = await request(context.ownHeaders.get(site.id) ?? {})
  if (response.status !== 401 && response.headers[closedHeader] === undefined) return response
  const { code, stdout } = await look(context, site.server, {
    script: 'own-key',
    args: [site.domain],
    signal: options.signal,
  })
  const headers = headersIn(stdout)
  if (code !== 0 || Object.keys(headers).length === 0) return response
  context.ownHeaders.set(site.id, headers)
  return request(headers)
}

const keptOut = (): EngineError =>
  new EngineError('unavailable', msg`Visitors get the maintenance page, although maintenance is not turned on.`, {
    nextAction: msg`Retry the last job of the site that failed.`,
  })

/**
 * Over TLS, the server has to show the certificate that it has for the site, whoever issued that: whether browsers accept it is another
 * question. It is asked for it when the one known is not shown any more.
 */
async function requestKnown(
  context: EeContext,
  site: SiteRef,
  path: string,
  options: RequestOptions,
): Promise<RawResponse> {
  if (site.isSecure !== true) return requestSite(context, site, path, options)
  const known = context.certificates.get(site.id)
  if (known === undefined) {
    const certificate = await readCertificate(context, site, options.signal)
    return requestSite(context, site, path, certificate === undefined ? options : { ...options, certificate })
  }
  try {
    return await requestSite(context, site, path, { ...options, certificate: known })
  } catch (error) {
    // A site that is down is not asked for over SSH with each of its health checks.
    if (!isOtherCertificate(error)) throw error
    const certificate = await readCertificate(context, site, options.signal)
    if (certificate === undefined || certificate === known) throw error
    return requestSite(context, site, path, { ...options, certificate })
  }
}

/** Whether TLS failed because of the certificate. Codes of https://nodejs.org/api/tls.html#x509-certificate-error-codes. */
const isOtherCertificate = (error: unknown): boolean =>
  error instanceof Error &&
  error.cause instanceof Error &&
  /CERT|SIGNATURE/.test(String(Reflect.get(error.cause, 'code')))

/** Asks a server for the certificate of a site; undefined if there is none, or if it cannot be asked, which says nothing of the site. */
async function readCertificate(
  context: EeContext,
  site: SiteRef,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const call = { script: 'certificate', args: [site.domain], signal } as const
  try {
    const text = outputOf(await look(context, site.server, call))
    const [leaf] = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(text) ?? []
    if (leaf === undefined) context.certificates.delete(site.id)
    else context.certificates.set(site.id, leaf)
    return leaf
  } catch (error) {
    if (error instanceof SshError) return undefined
    throw error
  }
}

function headersIn(printed: string): Readonly<Record<string, string>> {
  const [, password] = /^key ([A-Za-z0-9]{24})$/m.exec(printed) ?? []
  const [, pass] = /^pass ([0-9a-f]{48})$/m.exec(printed) ?? []
  return {
    ...(password === undefined
      ? {}
      : { authorization: `Basic ${Buffer.from(`${ownUser}:${password}`).toString('base64')}` }),
    ...(pass === undefined ? {} : { [passHeader]: pass }),
  }
}

/** Address at which browsers reach a site. */
export const browserAddress = ({ sitesUrlPattern }: Pick<EeContext, 'sitesUrlPattern'>, site: SiteRef): string =>
  sitesUrlPattern?.replace('{domain}', site.domain) ?? addressOf(site)
