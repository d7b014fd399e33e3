import type { Session } from '#server/contracts/session.ts'
import type { ActivityEntry } from '#server/contracts/transaction.ts'

/** Writes refused acts down, each kind once a minute: a loop of refusals must not flood the log. */
export interface Denials {
  /** Writes the refusal, or counts it when the same one was written within the minute. */
  record(session: Session, entry: ActivityEntry): Promise<void>
  /** Writes what was only counted so far. */
  flush(): Promise<void>
}

/** What `createDenials` needs. */
export interface DenialsOptions {
  write(session: Session, entry: ActivityEntry): Promise<void>
  /** Milliseconds since 1970. */
  now?: () => number
  /** Told when counted refusals could not be written. */
  failed(error: unknown): void
}

/** How long a refusal stands for its repetitions. */
const windowMs = 60_000
/** Refusals of one person in one organization that are written in full within a window, whatever they are about. */
const mostInWindow = 30
/** Windows kept at once; beyond it the oldest one is closed early. */
const mostWindows = 5000

/** The refusals of one person in one organization since the window began. */
interface Window {
  readonly began: number
  readonly session: Session
  readonly organization: string | null
  readonly seen: Set<string>
  /** Not written, only counted. */
  repeated: number
}

/** Creates the record of this process. */
export function createDenials(options: DenialsOptions): Denials {
  const now = options.now ?? Date.now
  const windows = new Map<string, Window>()
  let timer: NodeJS.Timeout | null = null

  /** One entry for all that was counted, when there is any. */
  async function close(key: string): Promise<void> {
    const window = windows.get(key)
    windows.delete(key)
    if (!window || window.repeated === 0) return
    await options.write(window.session, {
      organization: window.organization,
      action: 'denials.repeated',
      result: 'Denied',
      after: { times: window.repeated, since: new Date(window.began).toISOString() },
    })
  }

  async function closeOld(all: boolean): Promise<void> {
    for (const [key, { began }] of windows) if (all || now() - began >= windowMs) await close(key)
    if (timer !== null) clearTimeout(timer)
    timer = windows.size === 0 ? null : setTimeout(() => void closeOld(false).catch(options.failed), windowMs)
    timer?.unref()
  }

  return {
    async record(session, entry) {
      const organization = entry.organization ?? null
      const key = `${organization ?? ''}\n${session.user}`
      const known = windows.get(key)
      if (known && now() - known.began >= windowMs) await close(key)
      const window = windows.get(key) ?? { began: now(), session, organization, seen: new Set(), repeated: 0 }
      windows.set(key, window)
      const what = `${entry.action}\n${entry.reference_doctype}\n${entry.reference_name}`
      if (window.seen.has(what) || window.seen.size >= mostInWindow) {
        window.repeated += 1
        if (timer === null) await closeOld(false)
        return
      }
      window.seen.add(what)
      if (windows.size > mostWindows) await close(windows.keys().next().value as string)
      await options.write(session, entry)
    },
    flush: () => closeOld(true),
  }
}
