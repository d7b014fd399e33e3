import { lookup } from 'node:dns/promises'
import { addAbortListener } from 'node:events'
import { connect, isIP, type Socket } from 'node:net'
import type { buildConnector, Dispatcher } from 'undici'
import { AppError } from '#shared/errors.ts'
import { say, type Sentence } from '#shared/sentence.ts'
import { cidrMatcher, isInnerName, isPublicUnicast } from './addresses.ts'
import { openTenantResolver } from './name-resolver.ts'

/**
 * Who chose the address. `tenant`: an organization (webhooks, buckets, server addresses): https only, public addresses
 * only. `operator`: a setting of the installation: any address. Downloads have their own function, `download.ts`.
 */
export type FetchProfile = 'tenant' | 'operator'

/** Finds every address of a host name; replaced in tests. */
export type Resolver = (hostname: string) => Promise<readonly string[]>

/** Limits and rules of one outside connection. */
export interface ConnectOptions {
  profile: FetchProfile
  /** Ranges of `EASYDASH_ALLOW_PRIVATE_CIDRS`. */
  allowPrivateCidrs?: readonly string[]
  /** `EASYDASH_ADDRESS_MAP`: where `host:port` really answers. The operator vouches for the target. */
  addressMap?: Readonly<Record<string, string>>
  /** For everything together, from name to last byte. Default 15 s. */
  timeoutMs?: number
  signal?: AbortSignal
  resolve?: Resolver
}

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

/** Limits of the security rules, section 6. */
export const DEFAULT_TIMEOUT_MS = 15_000
const DEFAULT_MAX_BYTES = 1024 * 1024
/** Largest head of an answer, in bytes. */
const maxHeaderSize = 16 * 1024

const resolveForTenants = openTenantResolver()
const resolvers: Readonly<Record<FetchProfile, Resolver>> = {
  tenant: async (hostname) => (await resolveForTenants(hostname)).map(({ address }) => address),
  operator: async (hostname) => (await lookup(hostname, { all: true, verbatim: true })).map(({ address }) => address),
}

const refused = (message: Sentence) =>
  new AppError('invalid', message, { nextAction: say`Use the address of a public server.` })
const failed = (message: Sentence, cause?: unknown) => new AppError('unavailable', message, { retryable: true, cause })

/** An address of ours that a name led to, with the port. */
export interface Target {
  address: string
  port: number
}

/**
 * Resolves a host by ourselves and returns its addresses, each of which was checked; a single forbidden one refuses the
 * whole name, so that an answer that mixes public and private addresses cannot slip through. Throws `invalid` for a host
 * that is plainly inside, `unavailable` for a name that does not exist, and to tenants alike for one that leads inside:
 * nobody learns here which names the network has.
 */
export async function checkedTargets(host: string, port: number, options: ConnectOptions): Promise<Target[]> {
  const mapped = options.addressMap?.[`${host}:${port}`]
  if (mapped !== undefined) {
    const at = mapped.lastIndexOf(':')
    return [{ address: mapped.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(mapped.slice(at + 1)) }]
  }
  const isTenant = options.profile === 'tenant'
  const noWay = (cause?: unknown) => failed(say`No connection to ${host}.`, cause)
  if (isTenant && isPlainlyInner(host, options)) throw refused(say`The address of ${host} is not public.`)
  const addresses = isIP(host)
    ? [host]
    : await (options.resolve ?? resolvers[options.profile])(host).catch((error: unknown) => {
        throw isTenant ? noWay(error) : failed(say`The name ${host} cannot be resolved.`, error)
      })
  if (addresses.length === 0) throw noWay()
  if (isTenant && !addresses.every((address) => isAllowed(address, options)))
    throw noWay(new Error('The name leads to addresses that are not public.'))
  return addresses.map((address) => ({ address, port }))
}

function isAllowed(address: string, { allowPrivateCidrs = [] }: Pick<ConnectOptions, 'allowPrivateCidrs'>): boolean {
  return isPublicUnicast(address) || cidrMatcher(allowPrivateCidrs)(address)
}

/** Whether a host is seen to be inside the machine or its network without asking anybody. */
function isPlainlyInner(host: string, options: Pick<ConnectOptions, 'allowPrivateCidrs'>): boolean {
  if (isIP(host)) return !isAllowed(host, options)
  if (/^(?:.+\.)?localhost\.?$/.test(host)) return !isAllowed('127.0.0.1', options)
  return isInnerName(host) && (options.allowPrivateCidrs ?? []).length === 0
}

/** Ends with the caller's signal or after the time, whichever comes first. */
function deadlineOf(options: ConnectOptions): AbortSignal {
  const timeout = AbortSignal.timeout(options.timeoutMs ?? DEFAULT_TIMEOUT_MS)
  return options.signal ? AbortSignal.any([timeout, options.signal]) : timeout
}

/** What an abort means to the caller: their own abort stays theirs, our deadline is `unavailable`. */
function abortReason(host: string, options: ConnectOptions, deadline: AbortSignal): unknown {
  return options.signal?.aborted ? options.signal.reason : failed(say`${host} did not answer in time.`, deadline.reason)
}

/** Waits for something that knows no signal. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason as Error)
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error)
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

function openSocket(target: Target, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: target.address, port: target.port, noDelay: true })
    const abort = () => socket.destroy(signal.reason as Error)
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    const settle = () => signal.removeEventListener('abort', abort)
    socket.once('connect', () => {
      settle()
      socket.removeAllListeners('error')
      resolve(socket)
    })
    socket.once('error', (error) => {
      settle()
      reject(error)
    })
  })
}

async function connectToFirst(
  host: string,
  targets: readonly Target[],
  options: ConnectOptions,
  deadline: AbortSignal,
): Promise<Socket> {
  let last: unknown
  for (const target of targets) {
    try {
      return await openSocket(target, deadline)
    } catch (error) {
      if (deadline.aborted) throw abortReason(host, options, deadline)
      last = error
    }
  }
  throw failed(say`No connection to ${host}.`, last)
}

/** A TCP connection to a checked address, e.g. for SSH. Throws `invalid` or `unavailable`. */
export async function safeConnect(host: string, port: number, options: ConnectOptions): Promise<Socket> {
  const deadline = deadlineOf(options)
  const targets = await orAborted(checkedTargets(host, port, options), deadline).catch((error: unknown) => {
    throw deadline.aborted ? abortReason(host, options, deadline) : error
  })
  return connectToFirst(host, targets, options, deadline)
}

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
    return await read(response)
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
