import { mkdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { msg, untranslated } from '#shared/localized-message.ts'
import {
  EngineError,
  type Capabilities,
  type Capability,
  capabilityNames,
  type CapabilityName,
  type Engine,
  type HostInfo,
  type ServerRef,
  type SiteObservation,
  type SiteThumbnail,
  type SiteRef,
} from '../engine.ts'
import { connect, createFakeContext, type FakeContext, type FakeEngineOptions } from './fake-context.ts'
import { fakeLoginLink, fakeResponse, fakeSiteUrl, fakeSyncUsers } from './fake-pages.ts'
import { assertPhp, assertRef, fakeThumbnail, phpVersions } from './fake-site.ts'
import { fakeArchiveSteps, fakeCreateSteps, fakeRestoreSteps } from './fake-steps.ts'
import { existingSite, readSite, removeSite, siteIds, writeSite } from './fake-store.ts'

/** The fake engine with additional methods for tests. */
export interface FakeEngine extends Engine {
  /** Keys of all started steps, in order, as `domain:key`. */
  readonly begun: readonly string[]
  /** Servers it connected to for steps and deletions, in order, with the credentials it read. */
  readonly connections: readonly { readonly server: ServerRef; readonly credentials: string | null }[]
  /** Ids of all sites that left any trace. */
  traces(): string[]
  /** Marks a site as crashed. */
  crash(id: string, reason: string): void
}

/**
 * An engine without processes, for testing the code built on engines. Reserved domains fail at a step, e.g.
 * `fail-copy-files` (fails every time), `flaky-install` (fails once, retryable), `hang-check` (waits until it is canceled).
 */
export function createFakeEngine(options: FakeEngineOptions): FakeEngine {
  mkdirSync(options.folder, { recursive: true })
  const context = createFakeContext(options)
  return {
    name: 'fake',
    reach: options.reach ?? 'machine',
    capabilities: (server) => fakeCapabilities(options, server),
    begun: context.begun,
    connections: context.connections,
    traces: () => siteIds(context),
    siteUrl: (site) => fakeSiteUrl(context, site),
    filesFolder: (site) => (siteIds(context).includes(site.id) ? `/fake/${site.id}` : null),
    phpVersions: () => phpVersions,
    hostInfo: async () => ({ ...fakeHost, hostname: hostname() }),
    createSteps: (spec) => fakeCreateSteps(context, spec),
    archiveSteps: (site) => fakeArchiveSteps(context, site),
    restoreArchiveSteps: (site) => fakeRestoreSteps(context, site),
    destroy: async (site) => {
      assertRef(site)
      await connect(context, site.server)
      removeSite(context, site.id)
    },
    observe: async (site) => observe(context, site),
    request: async (site, path, requestOptions) => {
      requestOptions?.signal?.throwIfAborted()
      return fakeResponse(context, site, path)
    },
    loginLink: async (site, person, ttlSeconds) => fakeLoginLink(context, site, person, ttlSeconds),
    syncUsers: async (site, keep) => fakeSyncUsers(context, site, keep),
    thumbnail: async (site, signal) => {
      signal.throwIfAborted()
      return thumbnailOf(context, site)
    },
    logs: async (site, lines) => [`Fake log of ${existingSite(context, site).domain}`].slice(-lines),
    runCron: async (site) => (existingSite(context, site).siteType === 'wp' ? 1 : 0),
    setPhpVersion: async (site, version) => {
      const known = existingSite(context, site)
      assertPhp(version)
      writeSite(context, { ...known, phpVersion: version })
    },
    crash: (id, reason) => {
      const known = readSite(context, id)
      if (known !== null) writeSite(context, { ...known, state: 'crashed', reason })
    },
    stop: async () => undefined,
  }
}

const fakeHost: Omit<HostInfo, 'hostname'> = {
  os: 'Fake OS 1',
  kernel: 'Fake 1.0',
  processor: 'Fake processor',
  cpu: 2,
  ram: 4 * 2 ** 30,
  disk: 40 * 2 ** 30,
  diskFree: 20 * 2 ** 30,
  totalSwap: 0,
  timezone: 'UTC',
  uptimeSeconds: 3_600,
}

function fakeCapabilities(options: FakeEngineOptions, server: ServerRef): Capabilities {
  const lacks = options.lacks?.(server)
  return Object.fromEntries(
    capabilityNames.map((name): [CapabilityName, Capability] => {
      const reason = lacks?.[name]
      return [name, reason === undefined ? { supported: true } : { supported: false, reason }]
    }),
  ) as Record<CapabilityName, Capability>
}

function observe(context: FakeContext, site: SiteRef): SiteObservation {
  assertRef(site)
  const known = readSite(context, site.id)
  if (known === null)
    return { state: 'absent', wordpressVersion: null, phpVersion: null, diskUsed: 0, storage: null, reason: null }
  return {
    state: known.state,
    wordpressVersion: known.siteType === 'wp' ? '6.5.5' : null,
    phpVersion: known.siteType === 'html' ? null : known.phpVersion,
    diskUsed: 60_000_000,
    storage: null,
    reason: known.reason === null ? null : untranslated(known.reason),
  }
}

function thumbnailOf(context: FakeContext, site: SiteRef): SiteThumbnail {
  if (existingSite(context, site).state !== 'running')
    throw new EngineError('unavailable', msg`The page did not load.`, { nextAction: msg`Visit the site.` })
  return { content: fakeThumbnail, type: 'image/webp', width: 480, height: 300 }
}
