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
  const sid = /(?:^|;)\s*sid=([^;]*)/.exec(header ?? '')?.[1]?.trim()
  return sid === undefined || sid === '' || sid === 'Guest' ? null : sid
}

const deviceCookieName = 'easydash_device'
/** How long a browser keeps the device cookie: as long as the device is known (`features/accounts/known-devices.ts`). */
const deviceCookieSeconds = 180 * 24 * 3600

/** Value of the device cookie of a request; null without one. */
export function deviceOf(header: string | undefined): string | null {
  return new RegExp(`(?:^|;)\\s*${deviceCookieName}=([\\w.-]{1,400})(?:;|$)`).exec(header ?? '')?.[1] ?? null
}

/** The `Set-Cookie` line by which a device is known again when it signs in. A log-out leaves it; it opens nothing. */
export function deviceCookie(value: string, secure: boolean): string {
  return `${line(deviceCookieName, value, secure)}; Max-Age=${deviceCookieSeconds}; HttpOnly`
}

/** Whether a request carries any of the cookies a signed-in browser has. */
export function hasOurCookies(header: string | undefined): boolean {
  return header !== undefined && /(?:^|;\s*)(?:sid|user_id|full_name|user_image|system_user)=/.test(header)
}

/** The `Set-Cookie` lines of a signed-in answer. Only `sid` is hidden from scripts; the others end with the browser. */
export function sessionCookies(
  sid: string,
  facts: CookieFacts,
  secure: boolean,
  seconds: number = sessionCookieSeconds,
): string[] {
  const readable = {
    user_id: facts.user,
    full_name: facts.full_name,
    user_image: facts.user_image,
    system_user: facts.system_user,
  }
  return [
    `${line('sid', sid, secure)}; Max-Age=${seconds}; HttpOnly`,
    ...Object.entries(readable).map(([name, value]) => line(name, value, secure)),
  ]
}

/** The `Set-Cookie` lines that make a browser forget all of it. */
export function expiredCookies(secure: boolean): string[] {
  return ['sid', 'user_id', 'full_name', 'user_image', 'system_user'].map(
    (name) =>
      `${line(name, '', secure)}; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT${name === 'sid' ? '; HttpOnly' : ''}`,
  )
}

/** Percent-encoded, as Frappe's clients expect it; nothing a header could be split with is left. */
function line(name: string, value: string, secure: boolean): string {
  return `${name}=${encodeURIComponent(value.toWellFormed())}; Path=/; SameSite=Lax${secure ? '; Secure' : ''}`
}
