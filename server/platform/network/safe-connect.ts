import { lookup } from 'node:dns/promises'
import { connect, isIP, type Socket } from 'node:net'
import { AppError } from '#shared/errors.ts'
import { say, type Sentence } from '#shared/sentence.ts'
import { cidrMatcher, isInnerName, isPublicUnicast } from './addresses.ts'
import { openTenantResolver } from './name-resolver.ts'

/**
 * Who chose the address. `tenant`: an organization (webhooks, buckets, server addresses): https only, public addresses
 * only. `operator`: a setting of the installation: any address. Downloads have their own function, `download.ts`.
 */
type FetchProfile = 'tenant' | 'operator'

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

/** See docs/security.md. */
const defaultTimeoutMs = 15_000

const resolveForTenants = openTenantResolver()
const resolvers: Readonly<Record<FetchProfile, Resolver>> = {
  tenant: async (hostname) => (await resolveForTenants(hostname)).map(({ address }) => address),
  operator: async (hostname) => (await lookup(hostname, { all: true, verbatim: true })).map(({ address }) => address),
}

/** The refusal of an address that cannot be used, whoever asks. */
export const refused = (message: Sentence) =>
  new AppError('invalid', message, { nextAction: say`Use the address of a public server.` })
/** A connection that did not work; worth another try. */
export const failed = (message: Sentence, cause?: unknown) =>
  new AppError('unavailable', message, { retryable: true, cause })

/** An address of ours that a name led to, with the port. */
interface Target {
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
export function isPlainlyInner(host: string, options: Pick<ConnectOptions, 'allowPrivateCidrs'>): boolean {
  if (isIP(host)) return !isAllowed(host, options)
  if (/^(?:.+\.)?localhost\.?$/.test(host)) return !isAllowed('127.0.0.1', options)
  return isInnerName(host) && (options.allowPrivateCidrs ?? []).length === 0
}

/** Ends with the caller's signal or after the time, whichever comes first. */
export function deadlineOf(options: ConnectOptions): AbortSignal {
  const timeout = AbortSignal.timeout(options.timeoutMs ?? defaultTimeoutMs)
  return options.signal ? AbortSignal.any([timeout, options.signal]) : timeout
}

/** What an abort means to the caller: their own abort stays theirs, our deadline is `unavailable`. */
export function abortReason(host: string, options: ConnectOptions, deadline: AbortSignal): unknown {
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

/** Connects to the first address that accepts; the caller's deadline counts for all tries together. */
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
