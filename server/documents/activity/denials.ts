import type { Session } from '#server/contracts/session.ts'
import type { ActivityEntry } from '#server/contracts/transaction.ts'

/** Records denied operations, each kind once a minute: a loop of denials must not flood the log. */
export interface Denials {
  /** Writes the denial, or only counts it if the same one was written within the last minute. */
  record(session: Session, entry: ActivityEntry): Promise<void>
  /** Writes the counted denials. */
  flush(): Promise<void>
}

/** Options of `createDenials`. */
export interface DenialsOptions {
  write(session: Session, entry: ActivityEntry): Promise<void>
  /** Milliseconds since 1970. */
  now?: () => number
  /** Called when counted denials couldn't be written. */
  failed(error: unknown): void
}

/** How long repetitions of a denial are only counted. */
const windowMs = 60_000
/** Maximum number of denials per user and organization that are written in full within a window. */
const maxInWindow = 30
/** Maximum number of open windows; beyond this, the oldest one is closed early. */
const maxWindows = 5000

/** Denials of one user in one organization since the window started. */
interface Window {
  readonly began: number
  readonly session: Session
  readonly organization: string | null
  readonly seen: Set<string>
  /** Denials counted but not written. */
  repeated: number
}

/** Creates the denial log of this process. */
export function createDenials(options: DenialsOptions): Denials {
  const now = options.now ?? Date.now
  const windows = new Map<string, Window>()
  let timer: NodeJS.Timeout | null = null

  /** Writes one entry for all counted denials, if there are any. */
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
      if (window.seen.has(what) || window.seen.size >= maxInWindow) {
        window.repeated += 1
        if (timer === null) await closeOld(false)
        return
      }
      window.seen.add(what)
      const [oldest] = windows.keys()
      if (windows.size > maxWindows && oldest !== undefined) await close(oldest)
      await options.write(session, entry)
    },
    flush: () => closeOld(true),
  }
}
