import type { Documents } from '#server/contracts/documents.ts'
import type { Engine } from '#server/engines/engine.ts'
import { hasFacets, type WithFacets } from '#server/engines/facets.ts'
import { systemClock, type Clock } from '#server/jobs/clock.ts'
import type { Log } from '#server/platform/log/log.ts'
import { engineHostOf } from '#shared/rules/engines.ts'
import type { AddressConfig } from './server-addresses.ts'

/** Dependencies of the servers feature. */
export interface ServersDeps {
  documents: () => Documents
  /** Engines of this process by name. */
  engines: Readonly<Record<string, Engine>>
  log: Log
  clock?: Clock
  /** Internal addresses allowed by the operator. */
  config?: AddressConfig
  /** Id of this machine if several share one database; must match the sites feature. */
  machine?: string
}

/** The machine this process runs on, as the servers feature sees it. */
export interface LocalMachine {
  /** The engine that measures it. */
  readonly engine: WithFacets<'hostInfo'>
  /** Value of `engine_host` in its rows. */
  readonly host: string
}

/** Context of the servers feature. */
export interface ServersContext {
  readonly deps: ServersDeps
  readonly clock: Clock
  /** Null if no engine of this process runs sites on it. */
  readonly machine: LocalMachine | null
}

/** Finds the engine of this machine. */
export function openServersContext(deps: ServersDeps): ServersContext {
  const engine = Object.values(deps.engines).find(({ reach }) => reach === 'machine')
  const machine = engine &&
    hasFacets(engine, 'hostInfo') && { engine, host: engineHostOf(engine.name, deps.machine ?? 'this') }
  return { deps, clock: deps.clock ?? systemClock, machine: machine || null }
}
