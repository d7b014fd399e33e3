import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { BrowserStartError, endLeftBrowser, startBrowser } from '#server/platform/browser/browser-process.ts'
import { findBrowser, hasBrowser, type BrowserProgram } from '#server/platform/browser/find-browser.ts'
import { EngineError, type Capability, type SitePicture } from '../../engine.ts'
import type { LocalEngineLog } from '../options.ts'
import type { PageSource } from './page-requests.ts'
import { noPicture, pictureSize, takePicture } from './take-picture.ts'

/** How pictures of sites are taken here. */
export interface LocalPicturesOptions {
  /** False: the operator does not want any. */
  readonly enabled: boolean
  /** The operator's browser; null: whichever is found. */
  readonly browser: string | null
  readonly cacheDir: string
  /** Where a running browser is noted. */
  readonly noteFile: string
  readonly log: LocalEngineLog
  /** Bytes of memory that are free now; tests set it. */
  readonly freeMemory?: () => number
}

/** Pictures of sites, one at a time. */
export interface LocalPictures {
  capability(): Capability
  /** Waits for its turn. Throws EngineError `unsupported` with the capability's reason, `unavailable` otherwise. */
  take(source: PageSource, signal: AbortSignal): Promise<SitePicture>
  /** Ends the running one; resolves when no process and no file of it is left. */
  stop(): Promise<void>
}

/** Longest time one picture may take, the start of the browser included. */
const deadlineMs = 45_000
/** The browser's processes together; a plain page needs 400 when shared memory is counted for each. */
const memoryMb = 1_200
/** With less memory free nothing is started. */
const neededBytes = 500 * 2 ** 20
/** Who runs the browser where this process is root: below the accounts of sites, nobody's else. */
const browserUid = 53_999

const refusals = {
  off: 'Pictures of sites are switched off on this installation.',
  missing: 'Pictures of sites need Chrome or Chromium on the machine of the dashboard.',
  sandbox: 'Pictures of sites need the sandbox of the browser, which this machine does not allow.',
  broken: 'The browser for pictures of sites does not start on this machine.',
} as const

/** Removes what a killed process left, and says what is possible. Nothing is started or unpacked before it is needed. */
export async function openLocalPictures(options: LocalPicturesOptions): Promise<LocalPictures> {
  const { log } = options
  await mkdir(dirname(options.noteFile), { recursive: true })
  await endLeftBrowser(options.noteFile)
  const stopping = new AbortController()
  const isRoot = process.getuid?.() === 0
  let refusal: string | null = !options.enabled
    ? refusals.off
    : hasBrowser({ configured: options.browser })
      ? null
      : refusals.missing
  let program: Promise<BrowserProgram | null> | null = null
  let turn: Promise<unknown> = Promise.resolve()

  const refuse = (reason: string, error?: unknown): never => {
    // Once: from now on nobody tries again before the next start.
    if (refusal === null) log.warn(reason, { error })
    refusal = reason
    throw unsupported(reason)
  }

  const find = async (): Promise<BrowserProgram> => {
    const account = isRoot ? { uid: browserUid, gid: browserUid, switches: true } : undefined
    program ??= findBrowser({ configured: options.browser, cacheDir: options.cacheDir, account })
    const found = await program.catch((error: unknown) => refuse(refusals.broken, error))
    return found ?? refuse(refusals.missing)
  }

  const work = async (source: PageSource, signal: AbortSignal): Promise<SitePicture> => {
    signal.throwIfAborted()
    if (refusal !== null) throw unsupported(refusal)
    if ((options.freeMemory ?? process.availableMemory)() < neededBytes)
      throw new EngineError('unavailable', 'There is not enough free memory for a picture now.', {
        retryable: true,
        nextAction: 'It is taken as soon as there is.',
      })
    const found = await find()
    const deadline = AbortSignal.timeout(deadlineMs)
    const browser = await startBrowser({
      program: found,
      noteFile: options.noteFile,
      uid: isRoot ? browserUid : null,
      memoryMb,
      signal: AbortSignal.any([signal, deadline]),
    }).catch((error: unknown) => {
      if (!(error instanceof BrowserStartError)) throw signal.aborted || !deadline.aborted ? error : tooBusy()
      return refuse(error.sandbox ? refusals.sandbox : refusals.broken, error)
    })
    try {
      return { content: await takePicture(browser.devtools, source), type: 'image/webp', ...pictureSize }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof EngineError) throw error
      throw noPicture(deadline.aborted ? 'The page took too long.' : 'The page could not be pictured.', error)
    } finally {
      await browser.close()
    }
  }

  return {
    capability: () => (refusal === null ? { supported: true } : { supported: false, reason: refusal }),
    take: (source, signal) => {
      const mine = turn.then(() => work(source, AbortSignal.any([signal, stopping.signal])))
      // The next one's turn comes however this one ends.
      turn = mine.catch(() => undefined)
      return mine
    },
    stop: async () => {
      stopping.abort(new EngineError('unavailable', 'The engine is stopping.', { nextAction: 'Start Easydash again.' }))
      await turn
    },
  }
}

/** Nothing is known of the page yet. */
function tooBusy(): EngineError {
  return new EngineError('unavailable', 'The machine is too busy for a picture now.', {
    retryable: true,
    nextAction: 'It is taken as soon as it is not.',
  })
}

function unsupported(reason: string): EngineError {
  return new EngineError('unsupported', reason, { nextAction: 'Ask whoever runs this installation.' })
}
