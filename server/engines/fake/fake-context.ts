import { labelMessage, msg } from '#shared/localized-message.ts'
import { EngineError, type CapabilityName, type Engine, type ReadCredentials, type WordPressPerson } from '../engine.ts'
import type { ServerRef } from '../site-ref.ts'

/** Options of the fake engine. */
export interface FakeEngineOptions {
  /** Sites are stored as files in this folder. A second fake engine on the same folder sees them, as after a restart. */
  folder: string
  /** Default 8080. */
  port?: number
  /** Default `localhost`. */
  sitesDomain?: string
  /** Milliseconds since 1970; set by tests. */
  clock?: () => number
  /** Default `machine`; `network` behaves like engines on remote servers. */
  reach?: Engine['reach']
  /** Capabilities that a server lacks, with the reason. */
  lacks?: (server: ServerRef) => Partial<Record<CapabilityName, string>>
  /** Sends archives to stores by itself, like servers do. */
  sends?: boolean
  /** Called for steps and deletions on servers with an address, like engines do that connect to them. */
  readCredentials?: ReadCredentials
}

/** Options and state of one fake engine. */
export interface FakeContext {
  readonly options: FakeEngineOptions
  readonly now: () => number
  /** Keys of all started steps, in order, as `domain:key`. */
  readonly begun: string[]
  /** Servers it connected to, in order, with the credentials it read. */
  readonly connections: { readonly server: ServerRef; readonly credentials: string | null }[]
  /** Unused login links by the hash of their token. */
  readonly tokens: Map<string, { id: string; person: WordPressPerson; as?: string; to?: 'network'; expiresAt: number }>
}

/** The state of a new engine. */
export function createFakeContext(options: FakeEngineOptions): FakeContext {
  return { options, now: options.clock ?? Date.now, begun: [], connections: [], tokens: new Map() }
}

/** Throws EngineError `unsupported` if the server lacks one of the capabilities that the values of a call need. */
export function assertSupported({ options }: FakeContext, server: ServerRef, ...names: CapabilityName[]): void {
  const lacks = options.lacks?.(server) ?? {}
  const reason = names.map((name) => lacks[name]).find((found) => found !== undefined)
  if (reason !== undefined)
    throw new EngineError('unsupported', labelMessage(reason), { nextAction: msg`Choose another server.` })
}

/** Reads the credentials of a server that has some, as an engine does that connects to it. */
export async function connect({ options, connections }: FakeContext, server: ServerRef): Promise<void> {
  const { readCredentials } = options
  if (readCredentials === undefined || server.credentials === null) return
  connections.push({ server, credentials: await readCredentials(server.credentials) })
}
