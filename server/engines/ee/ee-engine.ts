import { capabilityNames, EngineError, type EngineFacets, type SiteObservation } from '../engine.ts'
import type { WithFacets } from '../facets.ts'
import type { SiteRef } from '../site-ref.ts'
import { assertPhp, phpVersionsOn } from './arguments.ts'
import { createEeOriginals } from './checksums.ts'
import { createEeBackups } from './backups.ts'
import { createEeCommands, createEeConsole } from './console.ts'
import { createEeProofs } from './contained-proofs.ts'
import { createEeCopies } from './copies.ts'
import { createEeCertificates } from './certificates.ts'
import { createEeCore } from './core.ts'
import { createSteps } from './create-steps.ts'
import { createEeDatabase } from './database.ts'
import { createEeDirect } from './direct-backups.ts'
import { createEeDomains } from './domains.ts'
import { createEeContext, notConnected, type EeContext, type EeEngineOptions } from './ee-context.ts'
import { createEePackages } from './ee-packages.ts'
import { createEeImports } from './imports.ts'
import { createEeHealth, createEeWordPress } from './ee-wordpress.ts'
import { runDueEvents } from './events.ts'
import { sweepFiles } from './files-call.ts'
import { createEeFiles, eeFilesFolder } from './files.ts'
import { databaseOf, hostedSites, isEnabled, readInventory } from './inventory.ts'
import { eeLacks, lacksCertificates, lacksVip, noScreenshots } from './lacks.ts'
import { createEeLanguages } from './languages.ts'
import { makeLoginLink, syncUsers } from './login.ts'
import { createEeLogs } from './logs.ts'
import { destroyMoving } from './move-end.ts'
import { leaveServer } from './leave.ts'
import { look } from './remote.ts'
import { browserAddress, requestAsOurselves } from './request.ts'
import { createEeServices } from './services.ts'
import { createEeSettings } from './settings.ts'
import { createEeRestores } from './restores.ts'
import { createEeStaging } from './staging.ts'
import { readSite, workdirOf } from './site-of.ts'
import { tendStatements } from './statements.ts'
import { archiveSteps, restartSite, restoreArchiveSteps, setPhp } from './states.ts'
import { takeThumbnail } from './thumbnail.ts'
import { askWp } from './wp.ts'

/** What this engine can do besides. */
type EeFacets =
  | 'host'
  | 'archiveSteps'
  | 'restoreArchiveSteps'
  | 'loginLink'
  | 'syncUsers'
  | 'logs'
  | 'setPhpVersion'
  | 'restart'
  | 'settings'
  | 'certificates'
  | 'runCron'
  | 'services'
  | 'domains'
  | 'wordpress'
  | 'health'
  | 'packages'
  | 'languages'
  | 'originals'
  | 'backups'
  | 'copies'
  | 'staging'
  | 'imports'
  | 'thumbnail'
  | 'core'
  | 'restores'
  | 'database'
  | 'console'
  | 'files'
  | 'filesFolder'

/** Sites on servers with EasyEngine, over SSH. */
export type EeEngine = WithFacets<EeFacets & keyof EngineFacets>

/** The engine of servers with EasyEngine. It keeps nothing: what there is of a site, its server says. */
export function createEeEngine(options: EeEngineOptions): EeEngine {
  const context = createEeContext(options)
  const originals = createEeOriginals(context)
  return {
    name: 'ee',
    reach: 'network',
    siteNames: 'domain',
    lacks(server) {
      const reason = notConnected(server)
      // A new domain gets a certificate like that of the one before.
      const [tls, vip] = [lacksCertificates(server), lacksVip(server)]
      return reason === null
        ? { ...eeLacks, tls, domain_change: tls, vip, thumbnail: withoutScreenshots(options) }
        : Object.fromEntries(capabilityNames.map((name) => [name, reason]))
    },
    phpVersions: phpVersionsOn,
    siteUrl: (site) => browserAddress(context, site),
    createSteps: (spec) => createSteps(context, spec),
    destroy: (site) => destroyMoving(context, site),
    observe: (site, options) => observe(context, site, options),
    request: (site, path, how) => requestAsOurselves(context, site, path, how),
    host: {
      sites: async (server) => hostedSites(await readInventory(context, server)),
      leave: (server, step) => leaveServer(context, server, step),
      sweepKept: async (server) => {
        try {
          await sweepFiles(context, server)
        } finally {
          await tendStatements(context, server)
        }
      },
    },
    archiveSteps: (site) => archiveSteps(context, site),
    restoreArchiveSteps: (site) => restoreArchiveSteps(context, site),
    loginLink: (site, person, ttlSeconds, to) =>
      makeLoginLink(context, site, { person, ttlSeconds, network: to === 'network' }),
    syncUsers: (site, lists) => syncUsers(context, site, lists),
    logs: createEeLogs(context),
    files: createEeFiles(context),
    filesFolder: (site) => eeFilesFolder(context, site),
    settings: createEeSettings(context),
    certificates: createEeCertificates(context),
    domains: createEeDomains(context),
    services: createEeServices(context),
    runCron: (site) => runDueEvents(context, site),
    wordpress: createEeWordPress(context, originals.verifyChecksums),
    health: createEeHealth(context),
    packages: createEePackages(context),
    languages: createEeLanguages(context),
    originals,
    backups: { ...createEeBackups(context), direct: createEeDirect(context), contained: createEeProofs(context) },
    copies: createEeCopies(context),
    staging: createEeStaging(context),
    imports: createEeImports(context),
    core: createEeCore(context),
    database: createEeDatabase(context),
    console: createEeConsole(context),
    commands: createEeCommands(context),
    thumbnail: (site, signal, requestedByUser) => takeThumbnail(context, site, signal, requestedByUser),
    restores: createEeRestores(context),
    restart: (site, how) => restartSite(context, site, how),
    setPhpVersion: (site, version) => setPhp(context, site, assertPhp(version, site.server)),
    stop: async () => context.ssh.close(),
  }
}

/** Why no screenshots can be taken now; null if they can. */
function withoutScreenshots({ screenshots }: EeEngineOptions): string | null {
  const capability = screenshots?.capability() ?? { supported: false, reason: noScreenshots }
  return capability.supported ? null : capability.reason
}

/** The state of a site on its server. Its WordPress is asked for its version if it runs, and what is measured includes it if not. */
async function observe(
  context: EeContext,
  site: SiteRef,
  { measure = true }: { readonly measure?: boolean } = {},
): Promise<SiteObservation> {
  const { row, mark } = await readSite(context, site)
  const nothing = { wordpressVersion: null, phpVersion: null, diskUsed: 0, storage: null, reason: null }
  if (row === null) return { ...nothing, state: mark === null ? 'absent' : 'partial' }
  const phpVersion = row.site_type === 'html' ? null : (row.php_version ?? null)
  const resting = row.site_type === 'wp' && !isEnabled(row) ? workdirOf(row) : null
  const kind = row.site_type === 'php' ? { hasDatabase: databaseOf(row) !== null } : {}
  const seen = { ...nothing, phpVersion, ...kind, ...(measure ? await measured(context, site, resting) : {}) }
  if (!isEnabled(row)) return { ...seen, state: mark === 'archived' ? 'archived' : 'asleep' }
  const version = row.site_type === 'wp' ? await versionOf(context, site, workdirOf(row)) : null
  return { ...seen, wordpressVersion: version, state: 'running' }
}

/**
 * Bytes of the files of a site; 0 if they cannot be measured in time. What the files of a WordPress that does not run say of its version.
 * @param resting its document root; null for any other
 */
async function measured(
  context: EeContext,
  { server, domain }: SiteRef,
  resting: string | null,
): Promise<Pick<SiteObservation, 'diskUsed' | 'wordpressVersion'>> {
  const args = resting === null ? [domain] : [domain, resting]
  const { code, stdout } = await look(context, server, { script: 'disk', args })
  const [, kib] = /^(\d{1,15})\s/m.exec(stdout) ?? []
  const [, wordpressVersion = null] = /^version (\d[\w.-]{0,38})$/m.exec(stdout) ?? []
  return { diskUsed: code === 0 && kib !== undefined ? Number(kib) * 1024 : 0, wordpressVersion }
}

async function versionOf(context: EeContext, site: SiteRef, workdir: string): Promise<string | null> {
  try {
    const output = await askWp(context, site, { workdir, args: ['core', 'version'] })
    return /^\d[\w.-]{0,38}$/m.exec(output)?.[0] ?? null
  } catch (error) {
    // A broken WordPress is still a site that runs.
    if (error instanceof EngineError) return null
    throw error
  }
}
