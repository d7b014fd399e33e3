import { parseOwnJson } from '#shared/parse-json.ts'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileWhole } from '#server/platform/config/data-dir.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { msg } from '#shared/localized-message.ts'
import type { LocalEngineLog } from '../options.ts'

/** Reasons why an installed browser fails to start. */
export const troubles = {
  sandbox: msg`Screenshots need the browser’s sandbox, which this machine does not allow.`,
  broken: msg`The browser for screenshots does not start on this machine.`,
} as const

/** Delay after the first failed start; each further failure doubles it, up to the maximum. */
const firstPauseMs = 60_000
const longestPauseMs = 3_600_000

/** Failed browser starts. */
export interface Trouble {
  readonly kind: keyof typeof troubles
  /** Time of the last failed start, in milliseconds since 1970. */
  readonly at: number
}

/** Records that the browser fails to start, in memory for the next attempt and on disk for `doctor`. */
export interface BrowserTrouble {
  /** Null: the last start succeeded, or there was none in this process. */
  now(): (Trouble & { readonly nextAt: number }) | null
  failed(kind: Trouble['kind'], error: unknown): Promise<void>
  /** Called after a successful start. */
  over(): Promise<void>
}

const noteOf = (dataDir: string) => join(dataDir, 'local', 'browser-trouble.json')

/** Every process tries once itself; the previous process's record stays on disk until then. */
export function openBrowserTrouble(options: {
  dataDir: string
  clock: () => number
  log: LocalEngineLog
}): BrowserTrouble {
  const { dataDir, clock, log } = options
  let known: (Trouble & { nextAt: number; pauseMs: number }) | null = null
  let isNoted = true
  return {
    now: () => known,
    async failed(kind, error) {
      const at = clock()
      const pauseMs = known === null ? firstPauseMs : Math.min(longestPauseMs, known.pauseMs * 2)
      // Logged once for each reason, not at each attempt.
      if (known?.kind !== kind) log.warn(troubles[kind].text, { error })
      known = { kind, at, pauseMs, nextAt: at + pauseMs }
      isNoted = true
      await writeFileWhole(noteOf(dataDir), JSON.stringify({ kind, at } satisfies Trouble)).catch((reason: unknown) =>
        log.warn('That the browser does not start could not be noted for the doctor', { error: reason }),
      )
    },
    async over() {
      if (known !== null) log.info('The browser for screenshots starts again')
      known = null
      if (isNoted) await rm(noteOf(dataDir), { force: true })
      isNoted = false
    },
  }
}

/** The last recorded browser failure, for another process; null if there is none. */
export async function readBrowserTrouble(dataDir: string): Promise<Trouble | null> {
  try {
    const note = parseOwnJson<Partial<Trouble> | null>(await readFile(noteOf(dataDir), 'utf8'))
    const { kind, at } = note ?? {}
    return kind !== undefined && Object.hasOwn(troubles, kind) && typeof at === 'number' ? { kind, at } : null
  } catch (error) {
    // If the file is missing, damaged or inaccessible, nothing is known: the next start writes it again.
    if (systemErrorCode(error) !== '' || error instanceof SyntaxError) return null
    throw error
  }
}
