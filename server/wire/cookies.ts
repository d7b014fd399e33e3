import { fastifyCookie } from '@fastify/cookie'

/** Longest life of a session, the age the browser keeps the cookie for; when it really ends the session store decides. */
export const sessionCookieSeconds = 30 * 24 * 3600

/** What the readable cookies say about the signed-in user. None of them has any authority. */
export interface CookieFacts {
  user: string
  full_name: string
  user_image: string
  system_user: 'yes' | 'no'
}

/** Value of the `sid` cookie of a request; null without one and for the guest's. */
export function sidOf(header: string | undefined): string | null {
  if (header === undefined || !header.includes('sid')) return null
  const sid = fastifyCookie.parse(header)['sid']
  return sid === undefined || sid === '' || sid === 'Guest' ? null : sid
}

/** Whether a request carries any of the cookies a signed-in browser has. */
export function hasOurCookies(header: string | undefined): boolean {
  return header !== undefined && /(?:^|;\s*)(?:sid|user_id|full_name|user_image|system_user)=/.test(header)
}

/** The `Set-Cookie` lines of a signed-in answer. Only `sid` is hidden from scripts; the others end with the browser. */
export function sessionCookies(sid: string, facts: CookieFacts, secure: boolean, seconds: number = sessionCookieSeconds): string[] {
  const readable = { user_id: facts.user, full_name: facts.full_name, user_image: facts.user_image, system_user: facts.system_user }
  return [
    fastifyCookie.serialize('sid', sid, { path: '/', sameSite: 'lax', secure, httpOnly: true, maxAge: seconds }),
    ...Object.entries(readable).map(([name, value]) =>
      fastifyCookie.serialize(name, value.toWellFormed(), { path: '/', sameSite: 'lax', secure })),
  ]
}

/** The `Set-Cookie` lines that make a browser forget all of it. */
export function expiredCookies(secure: boolean): string[] {
  return ['sid', 'user_id', 'full_name', 'user_image', 'system_user'].map((name) =>
    fastifyCookie.serialize(name, '', {
      path: '/', sameSite: 'lax', secure, httpOnly: name === 'sid', maxAge: 0, expires: new Date(0),
    }))
}
