import { parseOwnJson } from '#shared/parse-json.ts'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomic } from '#server/platform/config/data-dir.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { msg } from '#shared/localized-message.ts'
import type { LocalEngineLog } from '../options.ts'

/** Reasons why an installed browser fails to start. */
export const browserErrorTexts = {
  sandbox: msg`Screenshots need the browser’s sandbox, which this machine does not allow.`,
  broken: msg`The browser for screenshots does not start on this machine.`,
} as const

/** Delay after the first failed start; each further failure doubles it, up to the maximum. */
const firstPauseMs = 60_000
const longestPauseMs = 3_600_000

/** A failed start of the browser. */
export interface BrowserError {
  readonly kind: keyof typeof browserErrorTexts
  /** Time of the last failed start, in milliseconds since 1970. */
  readonly at: number
}

/** Records that the browser fails to start, in memory for the next attempt and on disk for `doctor`. */
export interface BrowserErrors {
  /** Null: the last start succeeded, or there was none in this process. */
  current(): (BrowserError & { readonly nextAt: number }) | null
  record(kind: BrowserError['kind'], error: unknown): Promise<void>
  /** Called after a successful start. */
  clear(): Promise<void>
}

const errorFilePath = (dataDir: string) => join(dataDir, 'local', 'browser-trouble.json')

/** Every process tries once itself; the previous process's record stays on disk until then. */
export function openBrowserErrors(options: {
  dataDir: string
  clock: () => number
  log: LocalEngineLog
}): BrowserErrors {
  const { dataDir, clock, log } = options
  let known: (BrowserError & { nextAt: number; pauseMs: number }) | null = null
  let isNoted = true
  return {
    current: () => known,
    async record(kind, error) {
      const at = clock()
      const pauseMs = known === null ? firstPauseMs : Math.min(longestPauseMs, known.pauseMs * 2)
      // Logged once for each reason, not at each attempt.
      if (known?.kind !== kind) log.warn(browserErrorTexts[kind].text, { error })
      known = { kind, at, pauseMs, nextAt: at + pauseMs }
      isNoted = true
      await writeFileAtomic(errorFilePath(dataDir), JSON.stringify({ kind, at } satisfies BrowserError)).catch(
        (reason: unknown) =>
          log.warn('That the browser does not start could not be noted for the doctor', { error: reason }),
      )
    },
    async clear() {
      if (known !== null) log.info('The browser for screenshots starts again')
      known = null
      if (isNoted) await rm(errorFilePath(dataDir), { force: true })
      isNoted = false
    },
  }
}

/** The last recorded browser failure, for another process; null if there is none. */
export async function readBrowserError(dataDir: string): Promise<BrowserError | null> {
  try {
    const note = parseOwnJson<Partial<BrowserError> | null>(await readFile(errorFilePath(dataDir), 'utf8'))
    const { kind, at } = note ?? {}
    return kind !== undefined && Object.hasOwn(browserErrorTexts, kind) && typeof at === 'number' ? { kind, at } : null
  } catch (error) {
    // If the file is missing, damaged or inaccessible, nothing is known: the next start writes it again.
    if (systemErrorCode(error) !== '' || error instanceof SyntaxError) return null
    throw error
  }
}
