import { abortable } from '../abortable.ts'
import type { LocalEngineLog } from '../options.ts'
import { createSpareCopy } from '../sites/spare-copy.ts'
import { cachedCores, prepareCore } from './core-cache.ts'
import type { CachedCore, PrepareContext } from './cached-core.ts'
import { createCoreRenewal } from './core-renewal.ts'
import { holdCore, type HeldCore } from './core-use.ts'

/** What the supply needs. */
export interface CoreSupplyOptions {
  cacheDir: string
  /** `WORDPRESS_ORG_URL`; null: wordpress.org itself. */
  orgUrl: string | null
  /** Where a spare copy is kept, on the file system of the sites; null: none. */
  spareFolder: string | null
  now(): number
  log: LocalEngineLog
  /** Aborts when the engine stops. */
  stopping: AbortSignal
}

/** Which WordPress new sites get, and whether that is a way out. */
export interface CoreVersions {
  /** Versions in the cache, newest first: new sites get the first. */
  readonly versions: readonly string[]
  /** That one is from the package registry: no newer one could be fetched from wordpress.org so far. */
  readonly fallback: boolean
  /** When a newer one was last looked for, in milliseconds since 1970; null: not since the start. */
  readonly lastTry: number | null
}

/** Where new sites get their WordPress from: the cache, its renewal, and the spare copy. */
export interface CoreSupply {
  /** The newest cached core at once; fetched when there is none. One fetch for all who ask. */
  prepare(context: PrepareContext): Promise<CachedCore>
  /** The same, kept in the cache until it is released. */
  hold(context: PrepareContext): Promise<HeldCore>
  /** Moves the spare copy of that core to `target`; false when there is none. */
  takeSpare(core: CachedCore, target: string): Promise<boolean>
  versions(): Promise<CoreVersions>
  /** A WordPress site was created: the spare copy may be gone, and who created it may have got a network. */
  siteCreated(): void
  /** The network is there (again). */
  online(): void
  /** After `stopping` aborted: resolves when nothing is under way any more. */
  stop(): Promise<void>
}

/** The next spare copy waits until the new site has had its first visitors: copying would slow them down. */
const refillAfterMs = 5000
const quiet = { log: () => undefined, progress: () => undefined }

/** Opens the supply; begins to fetch WordPress when none is cached, then to look for newer releases. */
export function createCoreSupply(options: CoreSupplyOptions): CoreSupply {
  const { cacheDir, orgUrl, log, now, stopping } = options

  let preparing: Promise<CachedCore> | null = null
  const prepare: CoreSupply['prepare'] = (context) => {
    // One download for all; whoever waits may still give up alone.
    preparing ??= prepareCore(cacheDir, orgUrl, { ...context, signal: stopping }, log).finally(() => {
      preparing = null
    })
    return abortable(preparing, context.signal)
  }

  const hold: CoreSupply['hold'] = async (context) => {
    for (;;) {
      const held = await holdCore(await prepare(context))
      if (held !== null) return held
      // Superseded and removed in this very moment: there is a newer one.
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
    takeSpare: async (core, target) => (await spare?.take(core, target)) === true,
    versions: async () => {
      const cores = await cachedCores(cacheDir)
      return {
        versions: cores.map(({ version }) => version),
        fallback: cores[0]?.source === 'npm',
        lastTry: renewal.lastTry(),
      }
    },
    siteCreated: () => {
      spare?.refill(refillAfterMs)
      renewal.mayBeReachable()
    },
    online: () => renewal.mayBeReachable(),
    stop: async () => {
      await background
      // It ends later than those who wait for it: with npm gone and its folder removed. They have its error.
      await preparing?.catch(() => undefined)
      await renewal.stop()
      await spare?.stop()
    },
  }
}
