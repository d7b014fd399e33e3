import type { Config } from '#server/platform/config/config.ts'
import type { Log } from '#server/platform/log/log.ts'
import { createSsh, type Ssh } from '#server/platform/ssh/ssh.ts'
import type { SshTarget } from '#server/platform/ssh/ssh-target.ts'
import type { Timers } from '#server/platform/ssh/deadline.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError, type ReadCredentials } from '../engine.ts'
import type { Screenshots } from '../screenshots.ts'
import type { CredentialsHandle, ServerRef } from '../site-ref.ts'
import type { WordPressCatalogue } from '../wordpress-catalogue.ts'

/** What the engine is made with. */
export interface EeEngineOptions {
  readonly config: Pick<Config, 'addressMap' | 'allowPrivateCidrs'>
  /** Where browsers reach sites instead of `http://DOMAIN`; `{domain}` stands for the domain. For servers whose names nobody resolves. */
  readonly sitesUrlPattern: string | null
  readonly readCredentials: ReadCredentials
  readonly catalogue: WordPressCatalogue
  /** Folder of this machine for archives of sites, until they are stored. What is a day old in it is swept away. */
  readonly packedFolder: string
  /** Folder of this machine for archives that become sites, until they expire. */
  readonly importsFolder: string
  /** Null: this process takes none. */
  readonly screenshots: Screenshots | null
  readonly log: Log
  readonly timers?: Timers
}

/** What its parts share. */
export interface EeContext extends EeEngineOptions {
  readonly ssh: Ssh
  readonly timers: Timers
  /** Headers of our own requests, by the ids of sites, once their servers were asked for them. */
  readonly ownHeaders: Map<string, Readonly<Record<string, string>>>
  /** Ids and domains of sites whose web server serves nothing of what is kept of plugins and versions. */
  readonly hidden: Set<string>
  /** Certificates that their servers have for them, by the ids of sites, once they were asked for them. */
  readonly certificates: Map<string, string>
}

/** A server with the key that it accepts. */
interface EeTarget extends SshTarget {
  readonly credentials: CredentialsHandle
}

/** Timers that keep no process alive. */
const systemTimers: Timers = {
  setTimeout: (fn, ms) => setTimeout(fn, ms).unref(),
  clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout),
}

export function createEeContext(options: EeEngineOptions): EeContext {
  const { timers = systemTimers, config, log, readCredentials } = options
  const readKey = (target: SshTarget) => readCredentials((target as EeTarget).credentials)
  return {
    ...options,
    timers,
    ownHeaders: new Map(),
    hidden: new Set(),
    certificates: new Map(),
    ssh: createSsh({ config, readKey, timers, log }),
  }
}

/** Why nothing can be done on a server; null if Easydash connected to it. */
export const notConnected = ({ address, hostKey, credentials }: ServerRef): string | null =>
  address === null || hostKey === null || credentials === null ? 'Nothing connects to this server yet.' : null

/** A server as SSH identifies it. Throws EngineError `unavailable` for one that nobody connected to. */
export function targetOf({ id, address, port, user, hostKey, credentials }: ServerRef): SshTarget {
  if (address === null || hostKey === null || credentials === null)
    throw new EngineError('unavailable', msg`Nothing connects to this server yet.`, {
      nextAction: msg`Finish setting up the server first.`,
    })
  const target: EeTarget = { id, address, port, user, hostKey, credentials }
  return target
}
