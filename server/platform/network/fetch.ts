import { abortError } from '../abort-error.ts'
import { addAbortListener } from 'node:events'
import { isIP } from 'node:net'
import type { buildConnector, Dispatcher } from 'undici'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import {
  abortReason,
  checkedTargets,
  connectToFirst,
  deadlineOf,
  failed,
  isObviouslyPrivateHost,
  addressError,
  type ConnectOptions,
} from './safe-connect.ts'

/** One request. */
export interface FetchOptions extends ConnectOptions {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  headers?: Readonly<Record<string, string>>
  body?: string | Buffer
  /** Maximum size of a response in bytes. Default 1 MiB. */
  maxBytes?: number
  /** Connect to this host instead of that of the URL, which the request still names. It may be reached without TLS. */
  at?: string
  /** Called when status and headers were received. */
  onHeaders?: () => void
  /** An additional certificate authority, PEM; for an operator's private test servers. */
  ca?: string
  /** The certificate that the server at `at` is known to have, PEM: it is accepted whoever issued it, for its names and its time. */
  certificate?: string
  /** Longest time without a byte of the body while its reader waits for one. Default: no limit besides the total one. */
  stallMs?: number
}

/** A complete response. Redirects are returned, not followed. Never show the body to the user who chose the URL. */
export interface FetchResponse {
  status: number
  /** Lowercase names; repeated headers are joined with a comma. */
  headers: Readonly<Record<string, string>>
  body: Buffer
}

/** Default maximum size of a response (docs/security.md). */
const DEFAULT_MAX_BYTES = 1024 * 1024
/** Maximum size of response headers in bytes. */
const maxHeaderSize = 16 * 1024

/** Validates the URL itself. Throws `invalid`. */
export function parseUrl(url: string | URL, options: Pick<FetchOptions, 'profile' | 'at'>): URL {
  const parsed = URL.canParse(String(url)) ? new URL(url) : null
  if (!parsed) throw addressError(msg`This is not a web address.`)
  const schemes = options.profile === 'tenant' && options.at === undefined ? ['https:'] : ['https:', 'http:']
  if (!schemes.includes(parsed.protocol))
    throw addressError(
      options.profile === 'tenant'
        ? msg`The address must begin with https://.`
        : msg`The address must begin with https or http://.`,
    )
  if (parsed.username || parsed.password) throw addressError(msg`The address can’t contain a user name or password.`)
  return parsed
}

/**
 * Validates an organization's URL when it is entered, without resolving it: https, and no host that is obviously not public.
 * Each use checks the resolved addresses again. Throws `invalid`.
 */
export function checkTenantUrl(
  url: string,
  options: Pick<ConnectOptions, 'allowPrivateCidrs' | 'addressMap'> = {},
): void {
  const parsed = parseUrl(url, { profile: 'tenant' })
  const host = hostOf(parsed).replace(/\.$/, '')
  if (Object.hasOwn(options.addressMap ?? {}, `${host}:${parsed.port || '443'}`)) return
  if (isObviouslyPrivateHost(host, options)) throw addressError(msg`The address of ${host} is not public.`)
}

/** Host of a URL; an IPv6 address without its brackets. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

/**
 * Opens the connection of a request for undici: the name is resolved once, every address is checked, and TLS is negotiated
 * for the name on a connection to one of them. Each request has its own connection, so that a connection of one profile is
 * never reused by another.
 */
function checkedConnector(
  url: URL,
  options: FetchOptions,
  deadline: AbortSignal,
  startTls: buildConnector.connector,
): buildConnector.connector {
  const host = hostOf(url)
  const isSecure = url.protocol === 'https:'
  const open = async () => {
    const targets = await checkedTargets(options.at ?? host, Number(url.port) || (isSecure ? 443 : 80), options)
    return connectToFirst(host, targets, options, deadline)
  }
  return (connection, callback) => {
    open().then(
      (socket) => {
        const stop = addAbortListener(deadline, () => socket.destroy())
        socket.once('close', () => stop[Symbol.dispose]())
        // Without a name (an address literal) the certificate is checked against the address.
        if (isSecure) startTls({ ...connection, servername: isIP(host) ? '' : host, httpSocket: socket }, callback)
        else callback(null, socket)
      },
      (error: Error) => callback(error, null),
    )
  }
}

/**
 * Sends a request to a checked address and passes the response to `read`, which must read the body; the connection is closed
 * afterward. Redirects are not followed. `translate` converts the errors.
 */
export async function withResponse<T>(
  url: URL,
  options: FetchOptions,
  deadline: AbortSignal,
  read: (response: Dispatcher.ResponseData) => Promise<T>,
): Promise<T> {
  // Loaded on first use, because it takes tenths of a second and 15 MB.
  const { buildConnector, Client } = await import('undici')
  deadline.throwIfAborted()
  // The deadline also covers the handshake.
  const startTls = buildConnector({
    allowH2: false,
    timeout: 0,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
    ...(options.certificate === undefined ? {} : { ca: options.certificate, allowPartialTrustChain: true }),
  })
  const client = new Client(url.origin, {
    connect: checkedConnector(url, options, deadline, startTls),
    maxHeaderSize,
    maxResponseSize: options.maxBytes ?? -1,
    // The deadline covers everything else.
    headersTimeout: 0,
    bodyTimeout: options.stallMs ?? 0,
  })
  const stop = addAbortListener(deadline, () => void client.destroy(abortError(deadline)))
  try {
    const response = await client.request({
      method: options.method ?? 'GET',
      path: `${url.pathname}${url.search}`,
      headers: { 'user-agent': 'easydash', accept: '*/*', ...options.headers, host: url.host },
      body: options.body ?? null,
      reset: true,
    })
    const result = await read(response)
    // Data that arrived before an abort is still read to the end.
    deadline.throwIfAborted()
    return result
  } finally {
    stop[Symbol.dispose]()
    await client.destroy()
  }
}

/** Translates a connection error. */
export function translate(error: unknown, url: URL, options: ConnectOptions, deadline: AbortSignal): unknown {
  if (deadline.aborted) return abortReason(url.hostname, options, deadline)
  if (error instanceof Error && Reflect.get(error, 'code') === 'UND_ERR_RES_EXCEEDED_MAX_SIZE')
    return new AppError('too_large', msg`The answer of ${url.hostname} is too large.`)
  return error instanceof AppError ? error : failed(msg`No answer from ${url.hostname}.`, error)
}

/** Every request to an external address uses this function. Throws `invalid`, `unavailable` or `too_large`. */
export async function safeFetch(url: string | URL, options: FetchOptions): Promise<FetchResponse> {
  const parsed = parseUrl(url, options)
  const deadline = deadlineOf(options)
  try {
    const bounded = { ...options, maxBytes: options.maxBytes ?? DEFAULT_MAX_BYTES }
    return await withResponse(parsed, bounded, deadline, async ({ statusCode, headers, body }) => {
      options.onHeaders?.()
      return {
        status: statusCode,
        headers: Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
        ),
        body: Buffer.from(await body.arrayBuffer()),
      }
    })
  } catch (error) {
    throw translate(error, parsed, options, deadline)
  }
}
