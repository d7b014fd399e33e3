import type { Session, SessionStore } from '#server/contracts/session.ts'
import { sessionCookies, type Cookie } from '../request/cookies.ts'

/** Makes the cookies of signed-in answers; `seconds` is the life of the session. */
export type SessionCookies = (session: Session, sid: string, seconds?: number) => Promise<Cookie[]>

/** Cookies with the user's facts as the session store knows them (it keeps them with the session). */
export function createSessionCookies(sessions: Pick<SessionStore, 'profile'>): SessionCookies {
  return async (session, sid, seconds) =>
    sessionCookies(sid, { user: session.user, ...(await sessions.profile(session.user)) }, seconds)
}
