import { addAbortListener } from 'node:events'
import { isIP } from 'node:net'
import type { buildConnector, Dispatcher } from 'undici'
import { AppError } from '#shared/errors.ts'
import { say } from '#shared/sentence.ts'
import {
  abortReason,
  checkedTargets,
  connectToFirst,
  deadlineOf,
  failed,
  isPlainlyInner,
  refused,
  type ConnectOptions,
} from './safe-connect.ts'

/** One request. */
export interface FetchOptions extends ConnectOptions {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  headers?: Readonly<Record<string, string>>
  body?: string | Buffer
  /** Largest answer, in bytes. Default 1 MiB. */
  maxBytes?: number
  /** A certificate authority besides the system's, PEM; for private test servers of an operator. */
  ca?: string
}

/** The whole answer. Redirects are answers like others. Show no part of the body to whoever chose the address. */
export interface FetchAnswer {
  status: number
  /** Names in lower case; repeated ones joined with a comma. */
  headers: Readonly<Record<string, string>>
  body: Buffer
}

/** Largest answer unless a caller says otherwise (docs/security.md). */
const DEFAULT_MAX_BYTES = 1024 * 1024
/** Largest head of an answer, in bytes. */
const maxHeaderSize = 16 * 1024

/** Checks what can be seen in the URL itself. */
function parseUrl(url: string | URL, options: FetchOptions): URL {
  const parsed = URL.canParse(String(url)) ? new URL(url) : null
  if (!parsed) throw refused(say`This is not a web address.`)
  const schemes = options.profile === 'tenant' ? ['https:'] : ['https:', 'http:']
  if (!schemes.includes(parsed.protocol))
    throw refused(
      options.profile === 'tenant'
        ? say`The address must begin with https://.`
        : say`The address must begin with https or http://.`,
    )
  if (parsed.username || parsed.password) throw refused(say`The address must not hold a user name or password.`)
  return parsed
}

/**
 * What can be said about an organization's address when it is entered, without asking the name service: https, and no
 * host that is plainly not public. Each use asks again, with the addresses the name leads to then. Throws `invalid`.
 */
export function checkTenantUrl(
  url: string,
  options: Pick<ConnectOptions, 'allowPrivateCidrs' | 'addressMap'> = {},
): void {
  const parsed = parseUrl(url, { profile: 'tenant' })
  const host = hostOf(parsed).replace(/\.$/, '')
  if (Object.hasOwn(options.addressMap ?? {}, `${host}:${parsed.port || '443'}`)) return
  if (isPlainlyInner(host, options)) throw refused(say`The address of ${host} is not public.`)
}

/** Host of a URL, an IPv6 address without its brackets. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

/**
 * How undici makes the connection of a request: the name is resolved once, every address is checked, and TLS for the
 * name is spoken on the connection to one of them. A connection of its own for each request, so that none that one
 * profile opened serves another.
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
    const targets = await checkedTargets(host, Number(url.port) || (isSecure ? 443 : 80), options)
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
 * Makes a request on a connection to a checked address and gives the answer to `read`, which has to read the body; the
 * connection ends with it. Redirects are not followed. `translate` explains what is thrown.
 */
export async function withResponse<T>(
  url: URL,
  options: FetchOptions,
  deadline: AbortSignal,
  read: (response: Dispatcher.ResponseData) => Promise<T>,
): Promise<T> {
  // Loaded with the first request, because it takes tenths of a second and 15 MB.
  const { buildConnector, Client } = await import('undici')
  deadline.throwIfAborted()
  // The deadline ends the handshake, too.
  const startTls = buildConnector({
    allowH2: false,
    timeout: 0,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  })
  const client = new Client(url.origin, {
    connect: checkedConnector(url, options, deadline, startTls),
    maxHeaderSize,
    maxResponseSize: options.maxBytes ?? -1,
    // The deadline counts for all of it.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const stop = addAbortListener(deadline, () => void client.destroy(deadline.reason as Error))
  try {
    const response = await client.request({
      method: options.method ?? 'GET',
      path: `${url.pathname}${url.search}`,
      headers: { 'user-agent': 'easydash', accept: '*/*', ...options.headers, host: url.host },
      body: options.body ?? null,
      reset: true,
    })
    const result = await read(response)
    // What had arrived before an abort is read to its end all the same.
    deadline.throwIfAborted()
    return result
  } finally {
    stop[Symbol.dispose]()
    await client.destroy()
  }
}

/** Translates what went wrong on the way. */
export function translate(error: unknown, url: URL, options: ConnectOptions, deadline: AbortSignal): unknown {
  if (deadline.aborted) return abortReason(url.hostname, options, deadline)
  if (error instanceof Error && Reflect.get(error, 'code') === 'UND_ERR_RES_EXCEEDED_MAX_SIZE')
    return new AppError('too_large', say`The answer of ${url.hostname} is too large.`)
  return error instanceof AppError ? error : failed(say`No answer from ${url.hostname}.`, error)
}

/** The one way to make a request to an address that is not ours. Throws `invalid`, `unavailable` or `too_large`. */
export async function safeFetch(url: string | URL, options: FetchOptions): Promise<FetchAnswer> {
  const parsed = parseUrl(url, options)
  const deadline = deadlineOf(options)
  try {
    const bounded = { ...options, maxBytes: options.maxBytes ?? DEFAULT_MAX_BYTES }
    return await withResponse(parsed, bounded, deadline, async ({ statusCode, headers, body }) => ({
      status: statusCode,
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
      ),
      body: Buffer.from(await body.arrayBuffer()),
    }))
  } catch (error) {
    throw translate(error, parsed, options, deadline)
  }
}
