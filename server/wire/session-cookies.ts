import type { Session, SessionStore } from '#server/documents/types.ts'
import { sessionCookies, sessionCookieSeconds } from './cookies.ts'

/** Makes the cookies of signed-in answers. */
export interface SessionCookies {
  readonly secure: boolean
  of(session: Session, sid: string, seconds?: number): Promise<string[]>
}

interface Remembered { facts: Awaited<ReturnType<SessionStore['profile']>>; until: number }

/** Names and pictures change rarely and every answer carries them: they are asked for again after this time. */
const rememberMs = 10_000
const mostRemembered = 2000

/** Cookies with the user's facts, which are remembered for some seconds. */
export function createSessionCookies(sessions: Pick<SessionStore, 'profile'>, secure: boolean, now: () => number = Date.now): SessionCookies {
  const remembered = new Map<string, Remembered>()
  return {
    secure,
    async of(session, sid, seconds = sessionCookieSeconds) {
      const time = now()
      let known = remembered.get(session.user)
      if (known === undefined || known.until <= time) {
        known = { facts: await sessions.profile(session.user), until: time + rememberMs }
        if (remembered.size >= mostRemembered) remembered.clear()
        remembered.set(session.user, known)
      }
      return sessionCookies(sid, { user: session.user, ...known.facts }, secure, seconds)
    },
  }
}
