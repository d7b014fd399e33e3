import { mkdir, readFile } from 'node:fs/promises'
import { createEngines } from './create-engines.ts'
import type { LocalEngine } from './engines/local/local-engine.ts'
import type { Config } from '#server/platform/config/config.ts'
import { countErrors } from '#server/platform/log/error-count.ts'
import { lockDataDir, openDataDir } from '#server/platform/config/data-dir.ts'
import type { Database } from '#server/platform/database/database.ts'
import type { Log } from '#server/platform/log/log.ts'
import { watchLoop, type LoopWatchdog } from '#server/platform/log/loop-watchdog.ts'
import { limitHeapGrowth } from '#server/platform/processes/heap-growth.ts'
import { releaseMemoryWhenIdle } from '#server/platform/processes/idle-memory.ts'
import { machineId } from '#server/platform/processes/machine-id.ts'
import { releasePooledPages } from '#server/platform/processes/pooled-pages.ts'
import { schemaIsCurrent } from '#server/platform/database/migrations.ts'
import { StartupError, systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { silentStep, type Step } from './platform/steps.ts'
import { openServices, type Services } from './services.ts'
import { metricsText, processMetrics, webMetrics } from './metrics.ts'
import { createBootstrapData } from './bootstrap-data.ts'
import { scriptOrigins } from './providers/stripe/browser-script.ts'
import { openStorage } from './storage.ts'
import { migrate, schemaVersion } from './tables.ts'
import { finishInterruptedImport } from './transfer/unfinished-import.ts'
import { version } from './version.ts'
import type { Wire, WireConfig } from './wire/options.ts'
import { createWire } from './wire/server.ts'
import { createWebProcesses, type WebProcesses } from './web-processes.ts'

/** Options for opening the product. */
export interface ProductOptions {
  config: Config
  log: Log
  step: Step
  /** Prints to the terminal what must not reach a log (links in emails). */
  print: (text: string) => void
  /** Folder of the built web app; with `devRoot`, Vite's sources are served instead. */
  pagesDir: string
  devRoot?: string | null
  /** Whether to go on without the port of `SOCKETIO_PORT` if it is taken: several demos want the same one. */
  secondPortIsOptional?: boolean
}

/** The running product. */
export interface Product extends Omit<Services, 'start'> {
  readonly database: Database
  readonly wire: Wire
  /** Puts all sites of this machine to sleep. */
  sleepSites(): Promise<void>
  /** Opens the port and starts running jobs. Returns the address. */
  start(): Promise<string>
  /** Stops everything in reverse order; jobs continue after the next start. */
  stop(): Promise<void>
}

/**
 * Opens everything in one process: storage, engine, features, HTTP. If a later part fails, the parts already opened are
 * closed.
 */
export async function openProduct(options: ProductOptions): Promise<Product> {
  const { config, step, print } = options
  const counted = countErrors(options.log)
  const { log } = counted
  const opened: (() => Promise<unknown>)[] = []
  let stopping: Promise<void> | null = null
  const stop = () => (stopping ??= closeAll(opened, log))
  try {
    await openDataDir(config.dataDir)
    opened.push(await lockDataDir(config.dataDir))
    await mkdir(config.cacheDir, { recursive: true })
    // Vite's hot reload knows one server only.
    const web = options.devRoot ? null : await createWebProcesses(config, log)
    const storage = await step('Database', () => openStorage({ config, log, step: silentStep }))
    opened.push(storage.close)
    await step('Tables', () => migrate(storage.database, log))
    if (await finishInterruptedImport(config.dataDir, storage.database.db))
      log.warn('An import was cut off; its files were removed. Import the archive again')
    const { local, ee } = await step('Engines', () =>
      createEngines({ config, log, readCredentials: (handle) => services.servers.readCredentials(handle) }, true),
    )
    opened.push(() => local.stop())
    opened.push(() => ee.stop())
    const services: Services = await openServices({
      config,
      database: storage.database,
      log,
      engines: { local, ee },
      print,
      web,
      figures: {
        errors: counted.figures,
        wordpressVersions: () => local.coreVersions(),
        thumbnails: local.thumbnails,
        webProcesses: async () => ((await web?.figures()) ?? []).map(({ residentBytes }) => residentBytes),
      },
      ...(config.databaseUrl === null ? {} : { machine: await machineId(config.dataDir) }),
    })
    opened.push(services.close)
    let watchdog: LoopWatchdog | null = null
    const metrics = [
      ...processMetrics(() => watchdog?.figures() ?? null),
      ...webMetrics(web),
      ...services.parts.metrics,
    ]
    const figures = () => metricsText(metrics, log)
    const wire = await openWire({ ...options, log, web }, storage.database, local, services, figures)
    // At the same time: each gives running requests the same few seconds.
    opened.push(() => Promise.all([wire.close(), web?.stop()]))
    return {
      ...services,
      database: storage.database,
      wire,
      sleepSites: local.sleepAll,
      stop,
      async start() {
        const url = await start(wire, services, step, opened)
        const { connection } = storage
        await web?.start(storage.database, { config: wireConfig(config), connection, pagesDir: options.pagesDir })
        // Blocking before this point delays no requests.
        const watching = watchLoop(log)
        watchdog = watching
        opened.push(async () => watching.stop())
        limitHeapGrowth()
        const releasing = releaseMemoryWhenIdle()
        opened.push(async () => releasing.stop())
        const bounding = releasePooledPages()
        opened.push(async () => bounding.stop())
        return url
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function closeAll(opened: (() => Promise<unknown>)[], log: Log): Promise<void> {
  for (const close of opened.toReversed()) {
    try {
      await close()
    } catch (error) {
      log.error('A part did not close cleanly', { error })
    }
  }
}

/** The operator's own terms of service; null for the built-in ones. */
async function readTerms(path: string | null): Promise<string | null> {
  if (path === null) return null
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new StartupError(
      `The terms in ${path} cannot be read (${systemErrorCode(error)}).`,
      'Correct EASYDASH_TERMS_FILE, or remove it to show the built-in terms.',
      error,
    )
  }
}

/** The settings that web processes get. */
function wireConfig(config: Config): WireConfig {
  const { port, host, socketioPort, url, trustedProxies, productName, metricsToken, rateLimits } = config
  return { port, host, socketioPort, url, trustedProxies, productName, metricsToken, rateLimits }
}

async function openWire(
  options: ProductOptions & { web: WebProcesses | null },
  database: Database,
  local: LocalEngine,
  services: Services,
  figures: () => Promise<string>,
): Promise<Wire> {
  const { config, log } = options
  const terms = await readTerms(config.termsFile)
  const { methods, routes, streams } = services.parts
  const bootstrapData = createBootstrapData({ documents: services.documents, methods, log })
  return createWire({
    config,
    secondPortIsOptional: options.secondPortIsOptional ?? false,
    version,
    log,
    documents: services.documents,
    sessions: services.accounts.sessions,
    rateLimiter: services.rateLimiter,
    methods,
    rawRoutes: routes,
    streams,
    sites: local,
    files: services.files.store,
    uploads: services.uploads.store,
    clusterPool: config.databaseUrl === null && options.web === null ? null : database.pool,
    web: options.web?.wire ?? null,
    health: {
      async ready() {
        const migrated = await schemaIsCurrent(database.db, schemaVersion).catch((error: unknown) => {
          log.warn('The database does not answer', { error })
          return false
        })
        return { ok: migrated, checks: { database: migrated ? 'ok' : 'not reachable or not migrated' } }
      },
      metrics: figures,
    },
    pages: {
      dir: options.pagesDir,
      devRoot: options.devRoot ?? null,
      paymentOrigins: config.stripe.secretKey === null ? null : scriptOrigins(config.stripe.apiBase),
      boot: async (session) => {
        const wordpress = await local.coreVersions()
        return {
          product_name: config.productName,
          version,
          signup: config.signup,
          has_accounts: await services.accounts.hasAccounts(),
          login_providers: session.kind === 'guest' && (await services.accounts.hasLoginProviders()),
          mail_server: config.smtpUrl !== null,
          url: config.url,
          local_sites_url: local.urlPattern,
          wordpress_version: wordpress.versions[0] ?? null,
          wordpress_fallback: wordpress.fallback,
          terms,
          ip: session.ip,
          session: await bootstrapData(session),
        }
      },
    },
  })
}

/** Starts serving requests, then starts background work; `stop` closes each part again. */
async function start(wire: Wire, services: Services, step: Step, opened: (() => Promise<unknown>)[]): Promise<string> {
  const { url } = await step('HTTP and sockets', () => wire.listen())
  await step('Jobs', () => {
    opened.push(() => services.stop())
    return services.start()
  })
  return url
}
