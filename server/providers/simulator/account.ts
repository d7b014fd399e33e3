/** What the simulated vendors have in common. */
import { createHash } from 'node:crypto'
import { isObject, parseJson } from '#shared/parse-json.ts'
import type { SimulatedCloud } from './simulated-cloud.ts'
import type { ReceivedRequest } from './simulated-vendor.ts'

/** `read`: a read-only token; `none`: one that may do nothing. */
export type Access = 'full' | 'read' | 'none'

export interface AccountOptions {
  /** Access by token; each token has its own project. */
  readonly tokens: Readonly<Record<string, Access>>
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Where its machines answer by SSH. Default: nowhere. */
  readonly cloud?: Pick<SimulatedCloud, 'start' | 'stop' | 'power'>
  /** Most entries of a page; the vendor's own limit by default. */
  readonly pageLimit?: number
}

/** Names of what a project has. */
export interface Contents {
  servers: string[]
  keys: string[]
  snapshots: string[]
}

export const tokenOf = ({ headers }: ReceivedRequest): string =>
  String(headers['authorization'] ?? '').replace(/^Bearer /, '')

export function bodyOf({ body }: ReceivedRequest): Readonly<Record<string, unknown>> {
  const parsed = parseJson(body)
  return isObject(parsed) ? parsed : {}
}

/** The MD5 fingerprint of a public key in OpenSSH format. */
export function fingerprintOf(publicKey: string): string {
  const blob = Buffer.from(publicKey.split(' ')[1] ?? '', 'base64')
  return (createHash('md5').update(blob).digest('hex').match(/../g) ?? []).join(':')
}

/** How far a list can lag behind. */
const lagMs = 3000

/** What a list shows: one that lags doesn't have new entries yet. */
export function visible<T>(
  { effect, state }: { readonly effect: 'lag' | 'fail_later' | null; readonly state: Pick<AccountOptions, 'now'> },
  entries: readonly T[],
  createdAt: (entry: T) => number,
): readonly T[] {
  return effect === 'lag' ? entries.filter((entry) => createdAt(entry) + lagMs <= state.now()) : entries
}

export const iso = (ms: number): string => new Date(ms).toISOString()
