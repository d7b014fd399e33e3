import type { LogName } from '#shared/rules/site-logs.ts'
import { mkdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { msg, untranslated } from '#shared/localized-message.ts'
import { EngineError, type EngineFacets, type SiteObservation, type SiteThumbnail } from '../engine.ts'
import type { HostInfo } from '../site-host.ts'
import type { WithFacets } from '../facets.ts'
import type { Mail } from '../site-logs.ts'
import type { ServerRef, SiteRef } from '../site-ref.ts'
import {
  assertSupported,
  connect,
  createFakeContext,
  type FakeContext,
  type FakeEngineOptions,
} from './fake-context.ts'
import { addFakeMail, addToFakeLog, createFakeLogs, removeFakeLogs } from './fake-logs.ts'
import { fakeFiles, fakeFilesBytes, removeFakeFiles } from './fake-files.ts'
import { createFakeCopies } from './fake-copies.ts'
import { fakeLoginLink, fakeResponse, fakeSiteUrl, fakeSyncUsers } from './fake-pages.ts'
import { assertPhp, assertRef, fakeThumbnail, phpVersions } from './fake-site.ts'
import { createFakeCertificates } from './fake-certificates.ts'
import { createFakeCommands, createFakeConsole } from './fake-console.ts'
import { createFakeDatabase, removeFakeDatabase } from './fake-database.ts'
import { createFakeDatabaseMoves } from './fake-database-moves.ts'
import { createFakeBackups, removeFakePacked } from './fake-backups.ts'
import { createFakeExports, removeFakeExport } from './fake-exports.ts'
import { createFakeImports } from './fake-imports.ts'
import { createFakeCore } from './fake-core.ts'
import { createFakeDomains } from './fake-domains.ts'
import { createFakeNetworks } from './fake-networks.ts'
import { createFakeStaging } from './fake-staging.ts'
import { changeFakeFile, createFakeOriginals } from './fake-originals.ts'
import { addFakeEvent, runFakeEvents } from './fake-events.ts'
import { createFakeLanguages } from './fake-languages.ts'
import { createFakeHealth } from './fake-health.ts'
import { createFakeServices } from './fake-services.ts'
import { createFakeSettings } from './fake-settings.ts'
import { fakeArchiveSteps, fakeCreateSteps, fakeRestoreSteps } from './fake-steps.ts'
import { fakeWordPressPackages } from './fake-packages.ts'
import { fakeWordPressManagement } from './fake-wordpress.ts'
import { existingSite, readSite, removeSite, siteIds, writeSite } from './fake-store.ts'

/** The fake engine with additional methods for tests. */
export interface FakeEngine extends WithFacets<Exclude<keyof EngineFacets, 'host' | 'events' | 'quotas'>> {
  /** Keys of all started steps, in order, as `domain:key`. */
  readonly begun: readonly string[]
  /** Servers it connected to for steps and deletions, in order, with the credentials it read. */
  readonly connections: readonly { readonly server: ServerRef; readonly credentials: string | null }[]
  /** Ids of all sites that left any trace. */
  traces(): string[]
  /** Adds text to a log of a site. */
  addToLog(id: string, log: LogName, text: string): void
  /** Adds an email, as if the site had sent it. */
  addMail(id: string, mail: Mail): void
  /** Schedules an event that is due. */
  addEvent(id: string, hook: string): void
  /** A file of its WordPress differs from the original. */
  changeFile(id: string, path: string): void
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
  const backups = createFakeBackups(context)
  return {
    name: 'fake',
    reach: options.reach ?? 'machine',
    siteNames: 'label',
    lacks: (server) => options.lacks?.(server) ?? {},
    begun: context.begun,
    connections: context.connections,
    traces: () => siteIds(context),
    siteUrl: (site) => fakeSiteUrl(context, site),
    filesFolder: async (site) => (siteIds(context).includes(site.id) ? `/fake/${site.id}` : null),
    phpVersions: () => phpVersions,
    hostInfo: async () => ({ ...fakeHost, hostname: hostname() }),
    createSteps: (spec) => fakeCreateSteps(context, spec),
    archiveSteps: (site) => fakeArchiveSteps(context, site),
    restoreArchiveSteps: (site) => fakeRestoreSteps(context, site),
    destroy: async (site) => {
      assertRef(site)
      await connect(context, site.server)
      removeSite(context, site.id)
      removeFakeLogs(context, site.id)
      removeFakeFiles(context, site.id)
      removeFakeDatabase(context, site.id)
      removeFakeExport(context, site.id)
      removeFakePacked(context, site.id)
    },
    observe: async (site) => observe(context, site),
    request: async (site, path, requestOptions) => {
      requestOptions?.signal?.throwIfAborted()
      const response = fakeResponse(context, site, path)
      if (readSite(context, site.id) !== null)
        addToFakeLog(
          context,
          site.id,
          'access',
          `- - - [${new Date(context.now()).toUTCString().replace(/^\w+, (\d+) (\w+) (\d+) (\S+) GMT$/, '$1/$2/$3:$4 +0000')}] "GET ${path.replace(/\?.*/, '')} HTTP/1.1" ${response.status} - "-" "-" 0 -\n`,
        )
      return response
    },
    loginLink: async (site, person, ttlSeconds, to) => fakeLoginLink(context, site, person, ttlSeconds, { to }),
    syncUsers: async (site, lists) => fakeSyncUsers(context, site, lists),
    thumbnail: async (site, signal) => {
      signal.throwIfAborted()
      return thumbnailOf(context, site)
    },
    files: fakeFiles(context),
    wordpress: fakeWordPressManagement(context),
    logs: createFakeLogs(context),
    addToLog: (id, log, text) => addToFakeLog(context, id, log, text),
    addMail: (id, mail) => addFakeMail(context, id, mail),
    packages: fakeWordPressPackages(context),
    languages: createFakeLanguages(context),
    core: createFakeCore(context),
    originals: createFakeOriginals(context),
    health: createFakeHealth(context),
    runCron: async (site) => runFakeEvents(context, site),
    addEvent: (id, hook) => addFakeEvent(context, id, hook),
    restart: async (site, { kind }) => {
      if (kind !== 'restart') assertSupported(context, site.server, 'containers')
      if (existingSite(context, site).state !== 'running')
        throw new EngineError('conflict', msg`The site does not run at the moment.`, {
          nextAction: msg`Resume the site first.`,
        })
    },
    setPhpVersion: async (site, version) => {
      const known = existingSite(context, site)
      assertPhp(version)
      writeSite(context, { ...known, phpVersion: version })
    },
    copies: createFakeCopies(context),
    staging: createFakeStaging(context),
    domains: createFakeDomains(context),
    certificates: createFakeCertificates(context),
    services: createFakeServices(context),
    networks: createFakeNetworks(context),
    console: createFakeConsole(context),
    commands: createFakeCommands(context),
    databaseMoves: createFakeDatabaseMoves(context),
    database: createFakeDatabase(context),
    backups,
    rehearsals: backups,
    restores: backups,
    exports: createFakeExports(context),
    imports: createFakeImports(context),
    settings: createFakeSettings(context),
    changeFile: (id, path) => changeFakeFile(context, id, path),
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

function observe(context: FakeContext, site: SiteRef): SiteObservation {
  assertRef(site)
  const known = readSite(context, site.id)
  if (known === null || (known.openUntil ?? Infinity) <= context.now())
    return { state: 'absent', wordpressVersion: null, phpVersion: null, diskUsed: 0, storage: null, reason: null }
  return {
    state: known.state,
    wordpressVersion: known.siteType === 'wp' ? (known.management?.facts.version ?? '6.5.5') : null,
    phpVersion: known.siteType === 'html' ? null : known.phpVersion,
    diskUsed: 60_000_000 + fakeFilesBytes(context, site.id),
    storage: null,
    reason: known.reason === null ? null : untranslated(known.reason),
  }
}

function thumbnailOf(context: FakeContext, site: SiteRef): SiteThumbnail {
  if (existingSite(context, site).state !== 'running')
    throw new EngineError('unavailable', msg`The page did not load.`, { nextAction: msg`Visit the site.` })
  return { content: fakeThumbnail, type: 'image/webp', width: 480, height: 300 }
}
