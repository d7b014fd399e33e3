import { releaseNavigationBlockers } from '../routing/navigation-blockers.ts'
import type { RedirectState } from '../routing/redirect-reason.ts'
import { onSessionInvalidation, type SessionInvalidation } from './session-invalidation.ts'
import { userFromCookie } from '../session/session.tsx'

/**
 * A tab can outlive its session: the session expires, another tab logs out, an admin ends it, or someone else logs in. The
 * page is then reloaded, which clears the user's data from memory and lets the route gates decide what the current user can
 * see.
 */

const channelName = 'easydash:session'
const loggedOut = 'logged out'

/** Denied requests within this time (ms) share one cause. */
const denialsMs = 10_000

/** The signed-in user of this page; null between logout and the next page. */
let person: string | null = null

/** Clears drafts and tour progress of the user who signs out. */
export function clearTabStorage(): void {
  try {
    sessionStorage.clear()
  } catch {
    // Storage is blocked, so nothing was kept.
  }
}

/** Marks the start of a logout in this tab, so that cookie changes from now on are ignored. Returns an undo function. */
export function beginLogOut(): () => void {
  const before = person
  person = null
  return () => (person = before)
}

/** Notifies other tabs of this browser, which show the same user, so that they clear their data too. */
export function notifyOtherTabs(): void {
  const channel = new BroadcastChannel(channelName)
  channel.postMessage(loggedOut)
  channel.close()
}

/**
 * Checks by the readable cookie whether the page still belongs to its user: after each denied request, when the tab becomes
 * visible, when another tab logs out, and on cookie change events where the browser has them. Drafts are kept for the same
 * user unless someone logged out on purpose. `onInvalidated` is called after each reconnect and, throttled, after a denied
 * request in a valid session, which may mean a changed role. Returns a stop function.
 */
export function watchSession(user: string, onInvalidated: () => void): () => void {
  person = user
  let invalidatedAt = -Infinity
  const checkUser = (): void => {
    if (person === null) return
    const now = userFromCookie()
    if (now === person) return
    person = null
    releaseNavigationBlockers()
    // react-router keeps its entry state here, and it survives the reload.
    if (now === null)
      history.replaceState({ ...history.state, usr: { reason: 'session_ended' } satisfies RedirectState }, '')
    location.reload()
  }
  const channel = new BroadcastChannel(channelName)
  channel.addEventListener('message', ({ data }) => {
    if (data !== loggedOut || person === null) return
    clearTabStorage()
    checkUser()
  })
  const invalidate = (why: SessionInvalidation): void => {
    checkUser()
    if (person === null || (why === 'denied' && Date.now() - invalidatedAt < denialsMs)) return
    invalidatedAt = Date.now()
    onInvalidated()
  }
  const stops = [
    onSessionInvalidation(invalidate),
    listen(window, 'focus', checkUser),
    listen(window, 'pageshow', checkUser),
    listen(document, 'visibilitychange', checkUser),
    ...('cookieStore' in globalThis ? [listen(cookieStore, 'change', checkUser)] : []),
  ]
  return () => {
    for (const stop of stops) stop()
    channel.close()
    person = null
  }
}

function listen(target: EventTarget, event: string, handler: () => void): () => void {
  target.addEventListener(event, handler)
  return () => target.removeEventListener(event, handler)
}

/**
 * Takes the CSRF token of the browser's current session after the user logged in again in another tab. False if a different
 * user is signed in or the server doesn't respond.
 */
export async function renewToken(): Promise<boolean> {
  const mine = (): boolean => person !== null && userFromCookie() === person
  if (!mine()) return false
  try {
    const response = await fetch('/web/', { cache: 'no-store' })
    const token = /window\.csrf_token = "([^"]+)"/.exec(await response.text())?.[1]
    if (!token || token === window.csrf_token || !mine()) return false
    window.csrf_token = token
    return true
  } catch {
    // No response. The original call failed for another reason and reports its own error.
    return false
  }
}
