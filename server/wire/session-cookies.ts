import type { Session, SessionStore } from '#server/documents/types.ts'
import { sessionCookies, sessionCookieSeconds } from './cookies.ts'

/** Makes the cookies of signed-in answers. */
export interface SessionCookies {
  readonly secure: boolean
  of(session: Session, sid: string, seconds?: number): Promise<string[]>
}

/** Cookies with the user's facts as the session store knows them (it keeps them with the session). */
export function createSessionCookies(sessions: Pick<SessionStore, 'profile'>, secure: boolean): SessionCookies {
  return {
    secure,
    async of(session, sid, seconds = sessionCookieSeconds) {
      return sessionCookies(sid, { user: session.user, ...(await sessions.profile(session.user)) }, secure, seconds)
    },
  }
}
