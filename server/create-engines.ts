import type { Config } from '#server/platform/config/config.ts'
import type { Log } from '#server/platform/log/log.ts'
import type { ReadCredentials } from './engines/engine.ts'
import { createLocalEngine, type LocalEngine } from './engines/local/local-engine.ts'

/** What engines are made with. */
export interface EngineServices {
  readonly config: Config
  readonly log: Log
  /** For engines that connect to servers. */
  readonly readCredentials: ReadCredentials
}

/** Makes the engines of a process, by name. `local`: it serves the sites of its machine, as only one process of a machine can. */
export async function createEngines(services: EngineServices): Promise<{ readonly local: LocalEngine }>
export async function createEngines(
  services: EngineServices,
  options: { readonly local: false },
): Promise<Readonly<Record<string, never>>>
export async function createEngines(services: EngineServices, { local = true } = {}) {
  return local ? { local: await createLocal(services) } : {}
}

function createLocal({ config, log }: EngineServices): Promise<LocalEngine> {
  return createLocalEngine({
    dataDir: config.dataDir,
    cacheDir: config.cacheDir,
    port: config.port,
    sitesDomain: config.localSitesDomain,
    sitesUrlPattern: config.localSitesUrl,
    idleMinutes: config.siteIdleMinutes,
    awakeMax: config.sitesAwakeMax,
    keptPackagesBytes: config.keptPackagesMb * 1_048_576,
    wordpressOrgUrl: config.wordpressOrgUrl,
    mysql: { url: config.localMysqlUrl },
    thumbnails: { enabled: config.thumbnails === 'on', browser: config.browser },
    log,
  })
}
