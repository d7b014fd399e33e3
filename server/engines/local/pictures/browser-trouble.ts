import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileWhole } from '#server/platform/config/data-dir.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { say } from '#shared/sentence.ts'
import type { LocalEngineLog } from '../options.ts'

/** Why a browser that is there does not come up. */
export const troubles = {
  sandbox: say`Pictures of sites need the sandbox of the browser, which this machine does not allow.`,
  broken: say`The browser for pictures of sites does not start on this machine.`,
} as const

/** Pause after the first start that failed; each further one doubles it, up to the longest. */
const firstPauseMs = 60_000
const longestPauseMs = 3_600_000

/** Starts that failed, up to now. */
export interface Trouble {
  readonly kind: keyof typeof troubles
  /** Milliseconds since 1970 of the last start that failed. */
  readonly at: number
}

/** Remembers that the browser does not start, in memory for the next try and on the disk for `doctor`. */
export interface BrowserTrouble {
  /** Null: the last start went well, or there was none since this process began. */
  now(): (Trouble & { readonly nextAt: number }) | null
  failed(kind: Trouble['kind'], error: unknown): Promise<void>
  /** It started. */
  over(): Promise<void>
}

const noteOf = (dataDir: string) => join(dataDir, 'local', 'browser-trouble.json')

/** Every process begins with a try of its own; what the one before noted stays on the disk until then. */
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
      // Said once for each reason, not at each try.
      if (known?.kind !== kind) log.warn(troubles[kind].text, { error })
      known = { kind, at, pauseMs, nextAt: at + pauseMs }
      isNoted = true
      await writeFileWhole(noteOf(dataDir), JSON.stringify({ kind, at } satisfies Trouble)).catch((reason: unknown) =>
        log.warn('That the browser does not start could not be noted for the doctor', { error: reason }),
      )
    },
    async over() {
      if (known !== null) log.info('The browser for pictures of sites starts again')
      known = null
      if (isNoted) await rm(noteOf(dataDir), { force: true })
      isNoted = false
    },
  }
}

/** What the last start of a browser was noted to have failed with, for another process; null: nothing is known to be wrong. */
export async function readBrowserTrouble(dataDir: string): Promise<Trouble | null> {
  try {
    const note = JSON.parse(await readFile(noteOf(dataDir), 'utf8')) as Partial<Trouble> | null
    const { kind, at } = note ?? {}
    return kind !== undefined && Object.hasOwn(troubles, kind) && typeof at === 'number' ? { kind, at } : null
  } catch (error) {
    // Not there, damaged or out of reach, it says nothing: the next start writes it anew.
    if (systemErrorCode(error) !== '' || error instanceof SyntaxError) return null
    throw error
  }
}
