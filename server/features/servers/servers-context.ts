import type { Documents } from '#server/contracts/documents.ts'
import type { Engine } from '#server/engines/engine.ts'
import { hostsWith, ownHosts, remoteHosts, type EngineHost } from '#server/engines/hosts.ts'
import { systemClock, type Clock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { Log } from '#server/platform/log/log.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import type { AddressConfig } from './server-addresses.ts'

/** Dependencies of the servers feature. */
export interface ServersDeps {
  documents: () => Documents
  /** Engines of this process by name. */
  engines: Readonly<Record<string, Engine>>
  log: Log
  /** The private SSH key of the installation; null before there is one. */
  installationKey(): Promise<string | null>
  clock?: Clock
  /** Internal addresses allowed by the operator. */
  config?: AddressConfig
  /** Id of this machine if several share one database; must match the sites feature. */
  machine?: string
}

/** Context of the servers feature. */
export interface ServersContext {
  readonly deps: ServersDeps
  readonly clock: Clock
  /** The machine this process runs on; null if no engine runs sites on it. */
  readonly machine: EngineHost<'hostInfo'> | null
  /** What it was like when it was last measured. */
  measured: Partial<Server>
}

/** Finds the engine of this machine. */
export function openServersContext(deps: ServersDeps): ServersContext {
  const [machine = null] = hostsWith(ownHosts(deps.engines, deps.machine), 'hostInfo')
  return { deps, clock: deps.clock ?? systemClock, machine, measured: {} }
}

/** Servers in these states are worked on. */
export const reachableStatuses = ['Healthy', 'Degraded', 'Disconnected'] as const satisfies readonly Server['status'][]

/** Machines that this process works on now: its own, and the servers of engines that reach them from anywhere. */
export async function hostsOf({ engines, machine, documents }: ServersDeps): Promise<readonly EngineHost[]> {
  const own = ownHosts(engines, machine)
  if (own.length === Object.keys(engines).length) return own
  const servers = await documents().transaction(systemSession('schedule'), (tx) =>
    tx.list(ServerDoctype, [['status', 'in', reachableStatuses]]),
  )
  return [...own, ...remoteHosts(engines, servers)]
}
