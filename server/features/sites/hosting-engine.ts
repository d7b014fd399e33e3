import type { Engine } from '#server/engines/engine.ts'

/** A site as held by an engine of this machine. */
export interface HostedSite {
  id: string
  domain: string
  /** `running`: it answers without being woken. */
  state: 'creating' | 'asleep' | 'running' | 'crashed' | 'archived'
  /** Its process; null while it sleeps, and for a site that needs none. */
  pid: number | null
}

/** An engine on this machine, which can list all sites it holds. */
export interface HostingEngine extends Engine {
  listSites(): readonly HostedSite[]
}

/** Whether the engine holds its sites on this machine. */
export function isHosting(engine: Engine): engine is HostingEngine {
  return typeof Reflect.get(engine, 'listSites') === 'function'
}
