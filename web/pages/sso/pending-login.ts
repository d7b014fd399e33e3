import { safeNext } from '#web/lib/routing/safe-next.ts'

/** What this tab keeps while its person is at the provider: the address that it comes back with works only together with it. */
interface PendingLogin {
  readonly attempt: string
  /** Of the organization's login address, to start again. */
  readonly key: string
  /** Page to open afterwards, below /web. */
  readonly next: string | null
}

const name = 'easydash-login'

/** Keeps an attempt in this tab only. */
export function keepPendingLogin(pending: PendingLogin): void {
  sessionStorage.setItem(name, JSON.stringify(pending))
}

/** Takes the attempt of this tab, once; null if it has none. */
export function takePendingLogin(): PendingLogin | null {
  try {
    const stored = sessionStorage.getItem(name)
    sessionStorage.removeItem(name)
    const { attempt, key, next } = JSON.parse(stored ?? 'null') as Record<string, unknown>
    if (typeof attempt !== 'string' || typeof key !== 'string') return null
    return { attempt, key, next: safeNext(typeof next === 'string' ? next : null) }
  } catch {
    // Nothing is stored, or something else, or storage is blocked: the login begins again.
    return null
  }
}

const addressName = 'easydash-login-key'

/** Remembers the login address that somebody logged in at: the key means nothing elsewhere, and is no secret of theirs. */
export function rememberLoginKey(key: string): void {
  try {
    localStorage.setItem(addressName, key)
  } catch {
    // Storage is blocked or full: it is typed again the next time.
  }
}

/** The key of the last login address; null if there is none. */
export function rememberedLoginKey(): string | null {
  try {
    return localStorage.getItem(addressName)
  } catch {
    // Storage is blocked, so nothing was kept.
    return null
  }
}

/** Path of the page behind a login address that was typed, whole or only its last part; null if there is nothing. */
export function loginPath(typed: string): string | null {
  const key = typed
    .trim()
    .replace(/[/?#\s]+$/, '')
    .split('/')
    .at(-1)
    ?.toLowerCase()
  return key ? `/sso/${encodeURIComponent(key)}` : null
}
