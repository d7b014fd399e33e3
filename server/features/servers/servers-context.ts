import type { Documents } from '#server/contracts/documents.ts'
import type { OrganizationSecrets } from '#server/contracts/organization-secrets.ts'
import type { Jobs } from '#server/contracts/job.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { Engine } from '#server/engines/engine.ts'
import { hostsWith, ownHosts, remoteHosts, type EngineHost } from '#server/engines/hosts.ts'
import { installationKey, serverRef, type CredentialsHandle } from '#server/engines/site-ref.ts'
import { systemClock, type Clock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { Mailer } from '#server/platform/mail/mail.ts'
import type { MailSender } from '#server/platform/mail/render-mail.ts'
import type { Log } from '#server/platform/log/log.ts'
import { createSsh, type Ssh } from '#server/platform/ssh/ssh.ts'
import type { RateLimiter } from '#server/platform/rate-limit.ts'
import type { Provider } from '#server/providers/provider.ts'
import type { Connection } from '#shared/doctypes/connection.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import type { ServerService } from '#shared/responses/server-monitoring.ts'
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
  jobs: () => Jobs
  rateLimiter: Pick<RateLimiter, 'hit'>
  /** The public key that servers let this installation in with, as a line of OpenSSH. */
  publicKey(): Promise<string>
  /** The provider of an account: the connection named, or the default one of the provider. Throws AppError without one. */
  providerOf(tx: Tx, account: Pick<Server, 'organization' | 'cloud_provider' | 'connection'>): Promise<Provider>
  /**
   * Calls the provider of a connection, outside of transactions. If it refuses the credentials, the connection is marked as failed.
   * Throws what the call throws.
   */
  withProvider(connection: Connection, work: (provider: Provider) => Promise<void>): Promise<void>
  metrics: ServerSamples
  /** Encrypt the recordings of terminals. */
  secrets: OrganizationSecrets
  mailer: Pick<Mailer, 'send'>
  /** What emails say about this installation. */
  sender: MailSender
  /** Internal addresses allowed by the operator. */
  config?: AddressConfig
  /** Id of this machine if several share one database; must match the sites feature. */
  machine?: string
}

/** How samples of servers get here. */
export interface ServerSamples {
  /** Whether servers can send them. */
  readonly areSent: boolean
  /** The files of the agent that sends them. Makes the server's token, which ends the one before. */
  agentFiles(tx: Tx, server: Server): Promise<readonly { path: string; mode: number; content: string }[]>
  /** Stores the sample that a script prints when `run` runs it on the server with its arguments. Throws what `run` throws. */
  pull(server: string, run: (script: string, args: readonly string[]) => Promise<string>): Promise<void>
  /** Stores what was seen on a server, which alert rules judge; null for what could not be read. */
  observe(
    server: string,
    observation: {
      readonly services: readonly Pick<ServerService, 'unit' | 'verdict' | 'since'>[] | null
      readonly certificates: readonly { readonly domain: string; readonly expires: number }[] | null
    },
  ): Promise<void>
}

/** Context of the servers feature. */
export interface ServersContext {
  readonly deps: ServersDeps
  readonly clock: Clock
  /** Commands on servers. */
  readonly ssh: Ssh
  /** The machine this process runs on; null if no engine runs sites on it. */
  readonly machine: EngineHost<'hostInfo'> | null
  /** What it was like when it was last measured. */
  measured: Partial<Server>
}

/** Reads the secret a handle names. Throws if the field is not declared secret. */
export function readCredentials(
  deps: ServersDeps,
  { doctype, name, field }: CredentialsHandle,
): Promise<string | null> {
  if (doctype === installationKey.doctype) return deps.installationKey()
  return deps.documents().transaction(systemSession('job'), (tx) => tx.secret(doctype, name, field))
}

/** Finds the engine of this machine. */
export function openServersContext(deps: ServersDeps): ServersContext {
  const [machine = null] = hostsWith(ownHosts(deps.engines, deps.machine), 'hostInfo')
  const clock = deps.clock ?? systemClock
  const { addressMap = {}, allowPrivateCidrs = [] } = deps.config ?? {}
  const ssh = createSsh({
    config: { addressMap, allowPrivateCidrs },
    log: deps.log,
    timers: clock,
    async readKey({ id }) {
      const server = await deps.documents().transaction(systemSession('job'), (tx) => tx.get(ServerDoctype, id))
      // A machine that is only being checked has no document yet.
      return readCredentials(deps, (server && serverRef(server).credentials) ?? installationKey)
    },
  })
  return { deps, clock, ssh, machine, measured: {} }
}

/** Servers in these states are worked on. */
export const reachableStatuses = ['Healthy', 'Degraded', 'Disconnected'] as const satisfies readonly Server['status'][]

/** Servers in these states answered when they were last asked: waiting for others would delay the work on all. */
const answeringStatuses = ['Healthy', 'Degraded'] as const satisfies readonly Server['status'][]

/** Machines that this process works on now: its own, and the servers of engines that reach them from anywhere. */
export async function hostsOf({ engines, machine, documents }: ServersDeps): Promise<readonly EngineHost[]> {
  const own = ownHosts(engines, machine)
  if (own.length === Object.keys(engines).length) return own
  const servers = await documents().transaction(systemSession('schedule'), (tx) =>
    tx.list(ServerDoctype, [['status', 'in', answeringStatuses]]),
  )
  return [...own, ...remoteHosts(engines, servers)]
}
