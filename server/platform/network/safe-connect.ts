import { abortError, orAborted } from '../abort-error.ts'
import { lookup } from 'node:dns/promises'
import { connect, isIP, type Socket } from 'node:net'
import { AppError } from '#shared/errors.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { cidrMatcher, isLocalName, isPublicUnicast } from './addresses.ts'
import { openTenantResolver } from './name-resolver.ts'

/**
 * Who provided the address. `tenant`: an organization (webhooks, buckets, server addresses): https only, public addresses
 * only. `operator`: a setting of the installation: any address. Downloads use `download.ts` instead.
 */
type FetchProfile = 'tenant' | 'operator'

/** Resolves a host name to all of its addresses; replaced in tests. */
export type Resolver = (hostname: string) => Promise<readonly string[]>

/** Limits and rules of one outgoing connection. */
export interface ConnectOptions {
  profile: FetchProfile
  /** Ranges of `EASYDASH_ALLOW_PRIVATE_CIDRS`. */
  allowPrivateCidrs?: readonly string[]
  /** `EASYDASH_ADDRESS_MAP`: the real address of a `host:port`. The operator vouches for the target. */
  addressMap?: Readonly<Record<string, string>>
  /** Total timeout, from name resolution to the last byte. Default 15 s. */
  timeoutMs?: number
  signal?: AbortSignal
  resolve?: Resolver
}

/** Source: docs/security.md. */
const defaultTimeoutMs = 15_000

const resolveForTenants = openTenantResolver()
const resolvers: Readonly<Record<FetchProfile, Resolver>> = {
  tenant: async (hostname) => (await resolveForTenants(hostname)).map(({ address }) => address),
  operator: async (hostname) => (await lookup(hostname, { all: true, verbatim: true })).map(({ address }) => address),
}

/** The error for an address that can't be used. */
export const addressError = (message: LocalizedMessage) =>
  new AppError('invalid', message, { nextAction: msg`Use the address of a public server.` })
/** The error for a failed connection; retryable. */
export const failed = (message: LocalizedMessage, cause?: unknown) =>
  new AppError('unavailable', message, { retryable: true, cause })

/** A resolved address with its port. */
interface Target {
  address: string
  port: number
}

/**
 * Resolves a host and returns its addresses, each of which was checked; a single forbidden one rejects the whole name, so
 * that a response with both public and private addresses is rejected. Throws `invalid` for a host that is obviously
 * internal, `unavailable` for a name that does not exist, and for tenants also for a name that resolves to an internal
 * address, so that they can't probe the network's names.
 */
export async function checkedTargets(host: string, port: number, options: ConnectOptions): Promise<Target[]> {
  const mapped = options.addressMap?.[`${host}:${port}`]
  if (mapped !== undefined) {
    const at = mapped.lastIndexOf(':')
    return [{ address: mapped.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(mapped.slice(at + 1)) }]
  }
  const isTenant = options.profile === 'tenant'
  const noWay = (cause?: unknown) => failed(msg`No connection to ${host}.`, cause)
  if (isTenant && isObviouslyPrivateHost(host, options)) throw addressError(msg`The address of ${host} is not public.`)
  const addresses = isIP(host)
    ? [host]
    : await (options.resolve ?? resolvers[options.profile])(host).catch((error: unknown) => {
        throw isTenant ? noWay(error) : failed(msg`The name ${host} cannot be resolved.`, error)
      })
  if (addresses.length === 0) throw noWay()
  if (isTenant && !addresses.every((address) => isAllowed(address, options)))
    throw noWay(new Error('The name leads to addresses that are not public.'))
  return addresses.map((address) => ({ address, port }))
}

function isAllowed(address: string, { allowPrivateCidrs = [] }: Pick<ConnectOptions, 'allowPrivateCidrs'>): boolean {
  return isPublicUnicast(address) || cidrMatcher(allowPrivateCidrs)(address)
}

/** Whether a host is obviously on this machine or its network, without resolving it. */
export function isObviouslyPrivateHost(host: string, options: Pick<ConnectOptions, 'allowPrivateCidrs'>): boolean {
  if (isIP(host)) return !isAllowed(host, options)
  if (/^(?:.+\.)?localhost\.?$/.test(host)) return !isAllowed('127.0.0.1', options)
  return isLocalName(host) && (options.allowPrivateCidrs ?? []).length === 0
}

/** Aborts with the caller's signal or after the timeout, whichever comes first. */
export function deadlineOf(options: ConnectOptions): AbortSignal {
  const timeout = AbortSignal.timeout(options.timeoutMs ?? defaultTimeoutMs)
  return options.signal ? AbortSignal.any([timeout, options.signal]) : timeout
}

/** The error for an abort: the caller's own reason, or `unavailable` for our timeout. */
export function abortReason(host: string, options: ConnectOptions, deadline: AbortSignal): unknown {
  return options.signal?.aborted ? options.signal.reason : failed(msg`${host} did not answer in time.`, deadline.reason)
}

function openSocket(target: Target, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: target.address, port: target.port, noDelay: true })
    const abort = () => socket.destroy(abortError(signal))
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

/** Connects to the first address that accepts; the caller's deadline covers all attempts. */
export async function connectToFirst(
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
  throw failed(msg`No connection to ${host}.`, last)
}

/** Opens a TCP connection to a checked address, e.g. for SSH. Throws `invalid` or `unavailable`. */
export async function safeConnect(host: string, port: number, options: ConnectOptions): Promise<Socket> {
  const deadline = deadlineOf(options)
  const targets = await orAborted(checkedTargets(host, port, options), deadline).catch((error: unknown) => {
    throw deadline.aborted ? abortReason(host, options, deadline) : error
  })
  return connectToFirst(host, targets, options, deadline)
}
