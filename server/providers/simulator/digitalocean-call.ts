import type { Access, AccountOptions } from './account.ts'
import type { DigitalOceanRegion, DigitalOceanSize } from './digitalocean-catalog.ts'
import type { MachineEvent, SimulatedMachine } from './machine-life.ts'
import type { SimulatedResponse } from './simulated-vendor.ts'

/** What a token gives access to. */
export interface Team {
  readonly access: Access
  readonly droplets: Droplet[]
  readonly keys: SshKey[]
  readonly images: DropletImage[]
}

export interface Droplet extends SimulatedMachine<DigitalOceanSize> {
  readonly region: DigitalOceanRegion
  readonly tags: readonly string[]
}

interface SshKey {
  readonly id: number
  readonly name: string
  readonly fingerprint: string
  readonly public_key: string
}

/** A snapshot, from its order on. */
export interface DropletImage {
  readonly id: number
  readonly name: string
  readonly droplet: Droplet
  readonly event: MachineEvent<DigitalOceanSize>
}

export interface State extends AccountOptions {
  readonly teams: Map<string, Team>
  lastId: number
}

/** Everything a request needs. */
export interface Call {
  readonly state: State
  readonly team: Team
  readonly query: URLSearchParams
  readonly body: Readonly<Record<string, unknown>>
  readonly effect: 'lag' | 'fail_later' | null
}

export const failure = (
  status: number,
  id: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): SimulatedResponse => ({
  status,
  body: { id, message, request_id: '515850a0-a812-50bf-aa3c-d0d21d287e40' },
  headers,
})

/** A refusal of what was asked for. */
export const refusal = (message: string): SimulatedResponse => failure(422, 'unprocessable_entity', message)

export const notFound = failure(404, 'not_found', 'The resource you were accessing could not be found.')

export function pageOf({ state, query }: Call, name: string, entries: readonly unknown[]): SimulatedResponse {
  const page = Number(query.get('page') ?? 1)
  const perPage = Math.min(Number(query.get('per_page') ?? 20), state.pageLimit ?? 200)
  const last = Math.max(1, Math.ceil(entries.length / perPage))
  const address = (of: number) => `https://api.digitalocean.com/v2/${name}?page=${of}&per_page=${perPage}`
  const pages = {
    ...(page < last && { next: address(page + 1), last: address(last) }),
    ...(page > 1 && { first: address(1), prev: address(page - 1) }),
  }
  const items = entries.slice((page - 1) * perPage, page * perPage)
  return { status: 200, body: { [name]: items, links: last > 1 ? { pages } : {}, meta: { total: entries.length } } }
}

export function nextId(state: State): number {
  state.lastId += 1
  return state.lastId
}
