import { join } from 'node:path'
import type { Config } from '#server/platform/config/config.ts'
import type { Log } from '#server/platform/log/log.ts'
import type { Engine, ReadCredentials } from './engines/engine.ts'
import { createEeEngine, type EeEngine } from './engines/ee/ee-engine.ts'
import { createWordPressCatalogue } from './engines/local/core/catalogue.ts'
import { createLocalEngine, type LocalEngine } from './engines/local/local-engine.ts'

/** What engines are made with. */
export interface EngineServices {
  readonly config: Config
  readonly log: Log
  /** For engines that connect to servers. */
  readonly readCredentials: ReadCredentials
}

/** Engines of a process that reach their servers from anywhere. */
export interface NetworkEngines {
  readonly [name: string]: Engine
  readonly ee: EeEngine
}

/** Makes the engines of a process, by name. `local`: also that of its machine, which only the process that serves its sites has. */
export async function createEngines(
  services: EngineServices,
  local: true,
): Promise<NetworkEngines & { readonly local: LocalEngine }>
export async function createEngines(services: EngineServices, local: false): Promise<NetworkEngines>
export async function createEngines({ config, log, readCredentials }: EngineServices, local: boolean) {
  const own = local
    ? await createLocalEngine({
        dataDir: config.dataDir,
        cacheDir: config.cacheDir,
        port: config.port,
        sitesDomain: config.localSitesDomain,
        sitesUrlPattern: config.localSitesUrl,
        idleMinutes: config.siteIdleMinutes,
        awakeMax: config.sitesAwakeMax,
        adminRequestSeconds: config.adminRequestSeconds,
        keptPackagesBytes: config.keptPackagesMb * 1_048_576,
        wordpressOrgUrl: config.wordpressOrgUrl,
        mysql: { url: config.localMysqlUrl },
        thumbnails: { enabled: config.thumbnails === 'on', browser: config.browser },
        log,
      })
    : null
  const ee = createEeEngine({
    config,
    sitesUrlPattern: config.serverSitesUrl,
    packedFolder: join(config.dataDir, 'backups', 'packed'),
    importsFolder: join(config.dataDir, 'backups', 'imports'),
    readCredentials,
    catalogue: createWordPressCatalogue(config),
    screenshots: own?.screenshots ?? null,
    log,
  })
  return own === null ? { ee } : { ee, local: own }
}
