import type { Session, SessionStore } from '#server/contracts/session.ts'
import { sessionCookies, type Cookie } from '../request/cookies.ts'

/** Creates the cookies of signed-in responses; `seconds` is the session's lifetime. */
export type SessionCookies = (session: Session, sid: string, seconds?: number) => Promise<Cookie[]>

/** Cookies with the user's profile from the session store (cached with the session). */
export function createSessionCookies(sessions: Pick<SessionStore, 'profile'>): SessionCookies {
  return async (session, sid, seconds) =>
    sessionCookies(sid, { user: session.user, ...(await sessions.profile(session.user)) }, seconds)
}
