import { abortable } from '../abortable.ts'
import type { LocalEngineLog } from '../options.ts'
import { createSpareCopy } from '../sites/spare-copy.ts'
import { cachedCores, obtainCore, prepareCore } from './core-cache.ts'
import type { CachedCore, PrepareContext } from './cached-core.ts'
import { createCoreRenewal } from './core-renewal.ts'
import { pinCore, type PinnedCore } from './core-use.ts'

/** Options of the supply. */
export interface CoreSupplyOptions {
  cacheDir: string
  /** `WORDPRESS_ORG_URL`; null: wordpress.org itself. */
  orgUrl: string | null
  /** Folder of the spare copy, on the same file system as the sites; null: no spare copy. */
  spareFolder: string | null
  now(): number
  log: LocalEngineLog
  /** Aborts when the engine stops. */
  stopping: AbortSignal
}

/** The WordPress versions for new sites, and whether they are a fallback. */
export interface CoreVersions {
  /** Versions in the cache, newest first: new sites use the first. */
  readonly versions: readonly string[]
  /** The newest one is from the package registry: no newer one could be downloaded from wordpress.org so far. */
  readonly fallback: boolean
  /** Time of the last check for a newer one, in milliseconds since 1970; null: not since the start. */
  readonly lastTry: number | null
  /** Whether that check could not be made, or did not get the newer release. */
  readonly lastFailed: boolean
}

/** Provides WordPress for new sites: the cache, its renewal, and the spare copy. */
export interface CoreSupply {
  /** Returns the newest cached core immediately; downloads one if there is none. Concurrent callers share one download. */
  prepare(context: PrepareContext): Promise<CachedCore>
  /** The same, kept in the cache until it is released. */
  hold(context: PrepareContext): Promise<PinnedCore>
  /** A certain version, kept in the cache until it is released; downloads it if it is not there. */
  holdVersion(version: string, context: PrepareContext): Promise<PinnedCore>
  /** Moves the spare copy of that core to `target`; false if there is none. */
  takeSpare(core: CachedCore, target: string): Promise<boolean>
  versions(): Promise<CoreVersions>
  /** Called when a WordPress site was created: the spare copy may be used up, and the network may be available. */
  siteCreated(): void
  /** Called when the network is available (again). */
  online(): void
  /** After `stopping` aborted: resolves when nothing is running any more. */
  stop(): Promise<void>
}

/** The next spare copy is delayed until the new site has had its first visitors: copying would slow them down. */
const refillAfterMs = 5000
const quiet = { log: () => undefined, progress: () => undefined }

/** Creates the supply; starts to download WordPress if none is cached, then to check for newer releases. */
export function createCoreSupply(options: CoreSupplyOptions): CoreSupply {
  const { cacheDir, orgUrl, log, now, stopping } = options

  let preparing: Promise<CachedCore> | null = null
  const prepare: CoreSupply['prepare'] = (context) => {
    // One download for all; each caller can still abort its own wait.
    preparing ??= prepareCore(cacheDir, orgUrl, { ...context, signal: stopping }, log).finally(() => {
      preparing = null
    })
    return abortable(preparing, context.signal)
  }

  const hold: CoreSupply['hold'] = async (context) => {
    for (;;) {
      const held = await pinCore(await prepare(context))
      if (held !== null) return held
      // It was superseded and removed at this very moment: there is a newer one.
      context.signal.throwIfAborted()
    }
  }

  const holdVersion: CoreSupply['holdVersion'] = async (version, context) => {
    for (;;) {
      const held = await pinCore(await obtainCore(cacheDir, orgUrl, version, context))
      if (held !== null) return held
      context.signal.throwIfAborted()
    }
  }

  const spare =
    options.spareFolder === null
      ? null
      : createSpareCopy(options.spareFolder, (signal) => hold({ ...quiet, signal }), log)
  const renewal = createCoreRenewal({ cacheDir, orgUrl, now, log, onNewest: () => spare?.refill() })

  const background = prepare({ ...quiet, signal: stopping })
    .then((core) => {
      log.info('WordPress is ready for new sites', { version: core.version })
      spare?.refill()
      return core.version
    })
    .catch((error: unknown) => {
      if (!stopping.aborted)
        log.warn('WordPress could not be prepared in advance; the next new site tries again', { error })
      return null
    })
    .then((version) => {
      if (!stopping.aborted) renewal.start(version)
    })

  return {
    prepare,
    hold,
    holdVersion,
    takeSpare: async (core, target) => (await spare?.take(core, target)) === true,
    versions: async () => {
      const cores = await cachedCores(cacheDir)
      return {
        versions: cores.map(({ version }) => version),
        fallback: cores[0]?.source === 'npm',
        lastTry: renewal.lastTry(),
        lastFailed: renewal.lastFailed(),
      }
    },
    siteCreated: () => {
      spare?.refill(refillAfterMs)
      renewal.mayBeReachable()
    },
    online: () => renewal.mayBeReachable(),
    stop: async () => {
      await background
      // Ends later than its callers: when npm has exited and its folder is removed. They got its error.
      await preparing?.catch(() => undefined)
      await renewal.stop()
      await spare?.stop()
    },
  }
}
