import type { Access, AccountOptions } from './account.ts'
import type { HetznerLocation, HetznerServerType } from './hetzner-catalog.ts'
import type { MachineEvent, SimulatedMachine } from './machine-life.ts'
import type { SimulatedResponse } from './simulated-vendor.ts'

/** A project; a token belongs to one. */
export interface Project {
  readonly access: Access
  readonly servers: HetznerServer[]
  readonly keys: SshKey[]
  readonly images: HetznerImage[]
}

export interface HetznerServer extends SimulatedMachine<HetznerServerType> {
  readonly location: HetznerLocation
  readonly labels: Record<string, string>
}

interface SshKey {
  readonly id: number
  readonly name: string
  readonly fingerprint: string
  readonly public_key: string
  readonly labels: Record<string, string>
  readonly created: string
}

/** A snapshot. */
export interface HetznerImage {
  readonly id: number
  readonly description: string
  readonly labels: Record<string, string>
  readonly server: HetznerServer
  readonly event: MachineEvent<HetznerServerType>
}

export interface State extends AccountOptions {
  readonly projects: Map<string, Project>
  lastId: number
}

/** Everything a request needs. */
export interface Call {
  readonly state: State
  readonly project: Project
  readonly query: URLSearchParams
  readonly body: Readonly<Record<string, unknown>>
  readonly effect: 'lag' | 'fail_later' | null
}

export const failure = (
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): SimulatedResponse => ({
  status,
  body: { error: { code, message, details: null } },
  headers: { 'x-correlation-id': 'd5f8e5d0c0ffee00', ...headers },
})

export function pageOf({ state, query }: Call, name: string, entries: readonly unknown[]): SimulatedResponse {
  const page = Number(query.get('page') ?? 1)
  const perPage = Math.min(Number(query.get('per_page') ?? 25), state.pageLimit ?? 50)
  const last = Math.max(1, Math.ceil(entries.length / perPage))
  const pagination = {
    page,
    per_page: perPage,
    previous_page: page > 1 ? page - 1 : null,
    next_page: page < last ? page + 1 : null,
    last_page: last,
    total_entries: entries.length,
  }
  const items = entries.slice((page - 1) * perPage, page * perPage)
  return { status: 200, body: { [name]: items, meta: { pagination } } }
}

export const matchesLabel =
  ({ query }: Call) =>
  ({ labels }: { readonly labels: Record<string, string> }) => {
    const [name = '', value] = (query.get('label_selector') ?? '').split(/==?/)
    return name === '' || (Object.hasOwn(labels, name) && (value === undefined || labels[name] === value))
  }

export function nextId(state: State): number {
  state.lastId += 1
  return state.lastId
}
