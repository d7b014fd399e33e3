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

/** Makes the engines of a process, by name. `local`: also that of its machine, which only the process that serves its sites has. */
export async function createEngines(services: EngineServices, local: true): Promise<{ readonly local: LocalEngine }>
export async function createEngines(services: EngineServices, local: false): Promise<Readonly<Record<string, never>>>
export async function createEngines({ config, log }: EngineServices, local: boolean) {
  if (!local) return {}
  return {
    local: await createLocalEngine({
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
    }),
  }
}
