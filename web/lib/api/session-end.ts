import { releaseNavigationBlockers } from '../routing/navigation-blockers.ts'
import type { RedirectState } from '../routing/redirect-reason.ts'
import { onSessionDoubt, type SessionDoubt } from './session-invalidation.ts'
import { userFromCookie } from '../session/session.tsx'

/**
 * A tab outlives its session: it expires, another tab logs out, an admin ends it, somebody else logs in. Then the page is
 * loaded anew: nothing of the person stays in memory, and the gates decide what the one who is there now may see.
 */

const channelName = 'easydash:session'
const loggedOut = 'logged out'

/** Refusals within this time (ms) have one reason. */
const refusalsMs = 10_000

/** Whose page this is, while somebody is signed in; null between log-out and the next page. */
let person: string | null = null

/** Drafts and the place in a tour are of the person that leaves. */
export function forgetTab(): void {
  try {
    sessionStorage.clear()
  } catch {
    // Storage is blocked: nothing was kept.
  }
}

/** The person logs out here and now: what happens to the cookie from now on is no news. Returns how to take that back. */
export function beginLogOut(): () => void {
  const before = person
  person = null
  return () => (person = before)
}

/** Other tabs of this browser show the same person: nothing of theirs stays there either. */
export function tellOtherTabs(): void {
  const channel = new BroadcastChannel(channelName)
  channel.postMessage(loggedOut)
  channel.close()
}

/**
 * Watches whether the page is still its person's, by the readable cookie: after each refusal, when the tab is looked at,
 * when another tab logs out, and where the browser tells of cookies, at once. Drafts stay for their writer, unless
 * somebody logged out on purpose. A refusal while the session lives may mean another role: `doubted` is called, once in a
 * while, and after each reconnection. Returns how to stop.
 */
export function watchSession(user: string, doubted: () => void): () => void {
  person = user
  let doubtedAt = -Infinity
  const look = (): void => {
    if (person === null) return
    const now = userFromCookie()
    if (now === person) return
    person = null
    releaseNavigationBlockers()
    // Where react-router keeps the state of an entry: it survives the reload.
    if (now === null)
      history.replaceState({ ...history.state, usr: { reason: 'session_ended' } satisfies RedirectState }, '')
    location.reload()
  }
  const channel = new BroadcastChannel(channelName)
  channel.addEventListener('message', ({ data }) => {
    if (data !== loggedOut || person === null) return
    forgetTab()
    look()
  })
  const doubt = (why: SessionDoubt): void => {
    look()
    if (person === null || (why === 'refused' && Date.now() - doubtedAt < refusalsMs)) return
    doubtedAt = Date.now()
    doubted()
  }
  const stops = [
    onSessionDoubt(doubt),
    listen(window, 'focus', look),
    listen(window, 'pageshow', look),
    listen(document, 'visibilitychange', look),
    ...('cookieStore' in globalThis ? [listen(cookieStore, 'change', look)] : []),
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
 * Takes the token of the session the browser has now, after the person logged in again elsewhere. False when that is not
 * the person this page belongs to, or nobody answers.
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
    // Nobody answers: the call that needed the token failed for another reason, and says its own.
    return false
  }
}
