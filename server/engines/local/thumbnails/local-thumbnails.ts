import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { BrowserStartError, killOrphanedBrowser, startBrowser } from '#server/platform/browser/browser-process.ts'
import { findBrowser, hasBrowser, type BrowserProgram } from '#server/platform/browser/find-browser.ts'
import { ownUserIds } from '#server/platform/processes/user-ids.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { EngineError, type SiteThumbnail } from '../../engine.ts'
import type { PageSource, Screenshots } from '../../screenshots.ts'
import type { LocalEngineLog } from '../options.ts'
import { openBrowserErrors, browserErrorTexts, type BrowserError } from './browser-error.ts'
import { screenshotError, thumbnailSize, takeScreenshot } from './take-screenshot.ts'

/** Options of screenshots. */
export interface LocalThumbnailsOptions {
  /** False: disabled by the operator. */
  readonly enabled: boolean
  /** The operator's browser; null: use whichever is found. */
  readonly browser: string | null
  readonly cacheDir: string
  /** The data folder: a running browser, and one that fails to start, are recorded below `local/`. */
  readonly dataDir: string
  readonly log: LocalEngineLog
  /** Bytes of free memory; set by tests. */
  readonly freeMemory?: () => number
  /** Milliseconds since 1970; set by tests. */
  readonly clock?: () => number
}

/** Whether screenshots can be taken now, and if not, why. */
export interface ThumbnailsState {
  readonly state: 'on' | 'off' | 'missing' | BrowserError['kind']
  /** Next attempt to start a failing browser, in milliseconds since 1970. */
  readonly nextTry: number | null
}

/** Screenshots in a browser of this machine. */
export interface LocalThumbnails extends Screenshots {
  state(): ThumbnailsState
  /** Aborts the running one; resolves when none of its processes and files is left. */
  stop(): Promise<void>
}

/** Timeout of one screenshot, including the start of the browser. */
const deadlineMs = 45_000
/** Limit for all processes of the browser; a simple page needs 400 if shared memory is counted for each process. */
const memoryMb = 1_200
/** With less free memory no browser is started. */
const neededBytes = 500 * 2 ** 20
const unavailable = {
  off: msg`Screenshots are turned off on this installation.`,
  missing: msg`Screenshots need Chrome or Chromium on the machine that runs the dashboard.`,
} as const

/** Cleans up after a killed process. Nothing is started or unpacked until needed. */
export async function openLocalThumbnails(options: LocalThumbnailsOptions): Promise<LocalThumbnails> {
  const noteFile = join(options.dataDir, 'local', 'browser.json')
  await mkdir(join(options.dataDir, 'local'), { recursive: true })
  await killOrphanedBrowser(noteFile)
  const stopping = new AbortController()
  // As root, an account dedicated to this installation: code that escapes from the browser has no access to other programs.
  const uid = process.getuid?.() === 0 ? (await ownUserIds(options.dataDir)).browser : null
  const clock = options.clock ?? Date.now
  const browserErrors = openBrowserErrors({ dataDir: options.dataDir, clock, log: options.log })
  let program: Promise<BrowserProgram | null> | null = null
  let turn: Promise<unknown> = Promise.resolve()

  /** Checked each time: a browser may be installed while we run. */
  const missingRequirement = (): keyof typeof unavailable | null => {
    if (!options.enabled) return 'off'
    return hasBrowser({ configured: options.browser }) ? null : 'missing'
  }

  const state = (): ThumbnailsState => {
    const known = missingRequirement()
    const { kind = 'on', nextAt = null } = browserErrors.current() ?? {}
    return known === null ? { state: kind, nextTry: nextAt } : { state: known, nextTry: null }
  }

  /** Starts a delay that increases with each failure. */
  const failStart = async (kind: BrowserError['kind'], error: unknown): Promise<never> => {
    // Another one may be found next time.
    program = null
    await browserErrors.record(kind, error)
    throw notStarting(kind)
  }

  const find = async (): Promise<BrowserProgram> => {
    const account = uid === null ? undefined : { uid, gid: uid, switches: true }
    program ??= findBrowser({ configured: options.browser, cacheDir: options.cacheDir, account })
    const found = await program.catch((error: unknown) => failStart('broken', error))
    if (found !== null) return found
    program = null
    throw unsupported(unavailable.missing)
  }

  const work = async (source: PageSource, signal: AbortSignal, requestedByUser: boolean): Promise<SiteThumbnail> => {
    signal.throwIfAborted()
    const known = missingRequirement()
    if (known !== null) throw unsupported(unavailable[known])
    const failing = browserErrors.current()
    if (failing !== null && !requestedByUser && clock() < failing.nextAt) throw notStarting(failing.kind)
    if ((options.freeMemory ?? process.availableMemory)() < neededBytes)
      throw new EngineError('unavailable', msg`There is not enough free memory for a screenshot right now.`, {
        retryable: true,
        nextAction: msg`Easydash takes it when memory is available.`,
      })
    const found = await find()
    const deadline = AbortSignal.timeout(deadlineMs)
    const browser = await startBrowser({
      program: found,
      noteFile,
      uid,
      memoryMb,
      signal: AbortSignal.any([signal, deadline]),
    }).catch((error: unknown) => {
      if (!(error instanceof BrowserStartError)) throw signal.aborted || !deadline.aborted ? error : tooBusy()
      return failStart(error.sandbox ? 'sandbox' : 'broken', error)
    })
    try {
      await browserErrors.clear()
      return { content: await takeScreenshot(browser.devtools, source), type: 'image/webp', ...thumbnailSize }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof EngineError) throw error
      throw screenshotError(
        deadline.aborted ? msg`The page took too long to load.` : msg`The screenshot could not be taken.`,
        error,
      )
    } finally {
      await browser.close()
    }
  }

  return {
    capability: () => {
      const known = missingRequirement()
      return known === null ? { supported: true } : { supported: false, reason: unavailable[known].text }
    },
    state,
    take: (source, signal, requestedByUser = false) => {
      const mine = turn.then(() => work(source, AbortSignal.any([signal, stopping.signal]), requestedByUser))
      // The next one runs however this one ends.
      turn = mine.catch(() => undefined)
      return mine
    },
    stop: async () => {
      stopping.abort(
        new EngineError('unavailable', msg`The engine is stopping.`, { nextAction: msg`Start Easydash again.` }),
      )
      await turn
    },
  }
}

/** Reported before anything is known about the page. */
function tooBusy(): EngineError {
  return new EngineError('unavailable', msg`The machine is too busy for a screenshot right now.`, {
    retryable: true,
    nextAction: msg`Easydash takes it when the machine is less busy.`,
  })
}

function notStarting(kind: BrowserError['kind']): EngineError {
  return new EngineError('unavailable', browserErrorTexts[kind], {
    retryable: true,
    nextAction: msg`Easydash tries again from time to time, and when you refresh the screenshot.`,
  })
}

function unsupported(reason: LocalizedMessage): EngineError {
  return new EngineError('unsupported', reason, { nextAction: msg`Ask the operator of this installation.` })
}
