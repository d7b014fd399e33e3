/** What the simulated WP Cloud keeps, and how it answers. */
import { spaceGbOf, wpcMemoryMb, wpcWorkers } from '#shared/rules/wp-cloud.ts'
import type { Access } from './account.ts'
import type { SimulatedResponse } from './simulated-vendor.ts'

export interface WpCloudOptions {
  /** Accounts by key. Keys of one client see the same sites. */
  readonly keys: Readonly<Record<string, { readonly client: string; readonly access: Access }>>
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

export interface SimulatedSite {
  readonly id: number
  readonly client: string
  domain: string
  readonly admin: { readonly user: string; readonly email: string }
  readonly aliases: Set<string>
  readonly meta: Map<string, string>
  readonly backups: { readonly id: number; readonly type: string; readonly at: number }[]
  /** Public keys by user. */
  readonly sshUsers: Map<string, string>
  defendedUntil: number
}

interface SimulatedJob {
  readonly endsAt: number
  readonly fails: boolean
}

export interface State extends WpCloudOptions {
  readonly sites: Map<number, SimulatedSite>
  readonly jobs: Map<number, SimulatedJob>
  lastId: number
}

/** How long a job of WP Cloud takes here. */
export const jobMs = 3000
export const versions = ['8.2', '8.3', '8.4', '8.5']
export const places = ['ams', 'bur', 'dca', 'dfw']

export const ok = (data: unknown): SimulatedResponse => ({ status: 200, body: { message: 'OK', data } })
export const refusal = (status: number, message: string): SimulatedResponse => ({
  status,
  body: { message, data: null },
})

export interface Call {
  readonly state: State
  readonly client: string
  readonly method: string
  /** What it starts is accepted, and fails. */
  readonly fails: boolean
  readonly form: URLSearchParams
}

export const ownerOf = (state: State, domain: string) =>
  [...state.sites.values()].find((site) => site.domain === domain || site.aliases.has(domain))

export function nextId(state: State): number {
  state.lastId += 1
  return state.lastId
}

export function startJob(state: State, fails: boolean): number {
  const id = nextId(state)
  state.jobs.set(id, { endsAt: state.now() + jobMs, fails })
  return id
}

/** What a value of a setting must be; null: it is. */
export function metaProblem(state: State, name: string, value: string): string | null {
  const number = Number(value)
  const seconds = state.now() / 1000
  const isRight: Readonly<Record<string, boolean>> = {
    php_version: versions.includes(value),
    php_memory_limit: wpcMemoryMb.some((one) => one === number),
    default_php_conns: number >= wpcWorkers.min && number <= wpcWorkers.max,
    burst_php_conns: value === '0' || value === '1',
    space_quota: value.endsWith('G') && spaceGbOf(value) !== null,
    space_used: true,
    geo_affinity: places.includes(value),
    suspended: ['403', '404', '410', '451', '480', '503'].includes(value),
    allow_restore: number <= seconds + 300 && number >= seconds - 30 * 86_400,
    _data: value.startsWith('{"v1":{"site_type":'),
  }
  if (isRight[name] === undefined) return 'Unknown meta key'
  return isRight[name] ? null : `Invalid value for ${name}`
}
