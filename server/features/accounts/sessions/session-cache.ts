import type { Session, SessionStore } from '#server/contracts/session.ts'

/** User data for the cookies. */
export type Profile = Awaited<ReturnType<SessionStore['profile']>>

/** Result of the query that resolves a live session. */
export interface Resolved {
  session: Session
  csrfToken: string
  profile: Profile
}

/** How long an entry may be older than the database. Other processes announce changes sooner. */
const FRESH_MS = 2000
const MAX_ENTRIES = 10_000

/** Cache of live sessions by the hash of their sid, for two seconds. */
export interface SessionCache {
  /** The cached session, else the result of `load`; concurrent requests share one query. */
  get(sidHash: string, load: () => Promise<Resolved | null>): Promise<Resolved | null>
  /** The cached session, without loading. */
  peek(sidHash: string): Resolved | null
  /** Cookie data of a user with a cached session. */
  profile(user: string): Profile | null
  /** Drops the cached sessions of one user, or all of them. */
  forget(user: string | null): void
}

/** Creates an empty cache. */
export function createSessionCache(now: () => number = () => performance.now()): SessionCache {
  const entries = new Map<string, { resolved: Resolved; until: number }>()
  const profiles = new Map<string, { profile: Profile; until: number }>()
  const loading = new Map<string, Promise<Resolved | null>>()
  /** Incremented by `forget`: a result loaded before it must not be cached after it. */
  let generation = 0

  function remember(sidHash: string, resolved: Resolved, until: number): void {
    if (entries.size >= MAX_ENTRIES) entries.clear()
    if (profiles.size >= MAX_ENTRIES) profiles.clear()
    entries.set(sidHash, { resolved, until })
    profiles.set(resolved.session.user, { profile: resolved.profile, until })
  }

  return {
    get(sidHash, load) {
      const entry = entries.get(sidHash)
      if (entry && entry.until > now()) return Promise.resolve(entry.resolved)
      const running = loading.get(sidHash)
      if (running) return running
      const startedIn = generation
      const until = now() + FRESH_MS
      const promise = load()
        .then((resolved) => {
          if (resolved && generation === startedIn) remember(sidHash, resolved, until)
          else entries.delete(sidHash)
          return resolved
        })
        .finally(() => {
          if (loading.get(sidHash) === promise) loading.delete(sidHash)
        })
      loading.set(sidHash, promise)
      return promise
    },
    peek(sidHash) {
      const entry = entries.get(sidHash)
      return entry && entry.until > now() ? entry.resolved : null
    },
    profile(user) {
      const entry = profiles.get(user)
      return entry && entry.until > now() ? entry.profile : null
    },
    forget(user) {
      generation += 1
      loading.clear()
      if (user === null) {
        entries.clear()
        profiles.clear()
        return
      }
      profiles.delete(user)
      for (const [sidHash, { resolved }] of entries) if (resolved.session.user === user) entries.delete(sidHash)
    },
  }
}
