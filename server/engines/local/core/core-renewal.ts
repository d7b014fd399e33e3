import type { LocalEngineLog } from '../options.ts'
import { renewCore } from './core-cache.ts'

const checkEveryMs = 12 * 3_600_000
/** Delay after the first failed check; each further failure doubles it. */
const firstRetryMs = 60_000
const tickMs = 60_000

/** Options of the renewal. */
export interface CoreRenewalOptions {
  cacheDir: string
  /** `WORDPRESS_ORG_URL`; null: wordpress.org itself. */
  orgUrl: string | null
  /** Milliseconds since 1970. */
  now(): number
  log: LocalEngineLog
  /** Called when the newest core in the cache changed. */
  onNewest(): void
}

/** Keeps the newest WordPress release in the cache, in the background. */
export interface CoreRenewal {
  /**
   * Starts checking: now, then every twelve hours, sooner (with increasing delays) after a failed check.
   * @param newest version of the newest cached core
   */
  start(newest: string | null): void
  /** Checks now if it is due, without waiting for the timer. */
  tick(): void
  /** Called when wordpress.org may be reachable: checks again if the last check could not reach it. */
  mayBeReachable(): void
  /** Start of the last check in milliseconds since 1970; null before the first. */
  lastTry(): number | null
  /** Whether the last check could not be made, or did not get the newer release. */
  lastFailed(): boolean
  /** Resolves when no check is running. */
  settled(): Promise<void>
  /** Stops a running check; nothing of what it downloaded is left. */
  stop(): Promise<void>
}

/** Creates the renewal of a cache; `start` starts it. */
export function createCoreRenewal(options: CoreRenewalOptions): CoreRenewal {
  const { log, now } = options
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | null = null
  let pendingCheck: Promise<void> = Promise.resolve()
  let busy = false
  let nextAt = 0
  let lastAt: number | null = null
  let failures = 0
  let unreachable = false
  let known: string | null = null
  /** Kinds of failure logged since the last successful check. */
  const reported = new Set<'unreachable' | 'failed'>()

  const failed = (): number => {
    const pause = Math.min(checkEveryMs, firstRetryMs * 2 ** failures)
    failures += 1
    nextAt = now() + pause
    return Math.round(pause / 60_000)
  }

  const look = async (): Promise<void> => {
    unreachable = false
    lastAt = now()
    try {
      const { reached, newest } = await renewCore(options.cacheDir, options.orgUrl, stopping.signal)
      if (newest !== null && newest.version !== known) {
        log.info('New sites get a newer WordPress', { version: newest.version })
        known = newest.version
        options.onNewest()
      }
      if (reached) {
        failures = 0
        reported.clear()
        nextAt = now() + checkEveryMs
        return
      }
      unreachable = true
      const retryMinutes = failed()
      if (reported.has('unreachable')) return
      reported.add('unreachable')
      log.info('wordpress.org does not answer; new sites get the newest WordPress in the cache', {
        version: known,
        retryMinutes,
      })
    } catch (error) {
      if (stopping.signal.aborted) return
      const retryMinutes = failed()
      if (reported.has('failed')) return
      reported.add('failed')
      log.warn('A newer WordPress could not be fetched; it is tried again', { error, retryMinutes })
    }
  }

  const tick = (): void => {
    if (timer === null || busy || stopping.signal.aborted || now() < nextAt) return
    busy = true
    pendingCheck = look().finally(() => {
      busy = false
    })
  }

  return {
    start: (newest) => {
      if (timer !== null || stopping.signal.aborted) return
      known = newest
      timer = setInterval(tick, tickMs)
      timer.unref()
      tick()
    },
    tick,
    mayBeReachable: () => {
      // Not more often than the first delay: creating several sites in a row says nothing new about the network.
      if (!unreachable || now() - (lastAt ?? 0) < firstRetryMs) return
      nextAt = 0
      tick()
    },
    lastTry: () => lastAt,
    lastFailed: () => failures > 0,
    settled: () => pendingCheck,
    stop: async () => {
      stopping.abort()
      if (timer !== null) clearInterval(timer)
      await pendingCheck
    },
  }
}
