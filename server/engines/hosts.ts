import type { Server } from '#shared/doctypes/server.ts'
import { engineHostOf } from '#shared/rules/engines.ts'
import type { Engine, EngineFacets } from './engine.ts'
import { hasFacets, type WithFacets } from './facets.ts'
import { serverRef, thisMachine, type ServerRef } from './site-ref.ts'

/** A machine on which an engine runs sites. */
export interface EngineHost<F extends keyof EngineFacets = never> {
  readonly engine: WithFacets<F>
  /** `engine_host` of its servers and sites. */
  readonly name: string
  /** How calls of the engine name it. */
  readonly server: ServerRef
}

/** This machine, which servers of several organizations share. `machine`: its id, if several share a database. */
export function ownHost<E extends Engine>(engine: E, machine = 'this') {
  return { engine, name: engineHostOf(engine.name, machine), server: thisMachine }
}

/** This machine, with each of the engines that work on it. */
export function ownHosts(engines: Readonly<Record<string, Engine>>, machine: string | undefined): EngineHost[] {
  const own = Object.values(engines).filter(({ reach }) => reach === 'machine')
  return own.map((engine) => ownHost(engine, machine))
}

/** Finds machines whose engines have facets. */
export function hostsWith<F extends keyof EngineFacets>(hosts: readonly EngineHost[], ...facets: readonly F[]) {
  return hosts.filter((host): host is EngineHost<F> => hasFacets(host.engine, ...facets))
}

/** Those of the servers that any process reaches, with their engines. */
export function remoteHosts(engines: Readonly<Record<string, Engine>>, servers: readonly Server[]): EngineHost[] {
  return servers.flatMap((server) => {
    const engine = Object.values(engines).find(({ name, reach }) => reach === 'network' && name === server.engine)
    return engine ? [{ engine, name: hostNameOf(server), server: serverRef(server) }] : []
  })
}

/** `engine_host` of the sites of a server. One that names no machine shares it with no other. */
export function hostNameOf({ name, engine, engine_host: host }: Server): string {
  return host ?? engineHostOf(engine ?? 'ee', name)
}
