import fastifyCookie from '@fastify/cookie'
import { parseCookie } from 'cookie'
import type { FastifyInstance, FastifyReply } from 'fastify'

/** Max age of the session cookie: the maximum lifetime of a session. The session store decides when it really ends. */
export const sessionCookieSeconds = 30 * 24 * 3600

/** Content of the script-readable cookies. They grant no access. */
export interface CookieUser {
  user: string
  full_name: string
  user_image: string
  system_user: 'yes' | 'no'
}

/** A cookie to set. Shared attributes are registered by `acceptCookies`. */
export interface Cookie {
  readonly name: string
  readonly value: string
  /** Seconds; without it, a session cookie. */
  readonly maxAge?: number
  readonly expires?: Date
  readonly httpOnly?: boolean
}

const sessionCookieNames = ['sid', 'user_id', 'full_name', 'user_image', 'system_user'] as const

/** Lets replies set cookies, all with Path=/, SameSite=Lax and, on https, Secure. */
export function acceptCookies(app: FastifyInstance, secure: boolean): void {
  app.register(fastifyCookie, {
    // Requests are parsed by the functions below, which sockets use as well.
    hook: false,
    parseOptions: {
      path: '/',
      sameSite: 'lax',
      secure,
      // Frappe's clients expect all special characters percent-encoded, even those allowed in cookies.
      encode: (value) => encodeURIComponent(value.toWellFormed()),
    },
  })
}

/** Sets cookies on a reply. */
export function setCookies(reply: FastifyReply, cookies: readonly Cookie[]): void {
  for (const { name, value, ...options } of cookies) reply.setCookie(name, value, options)
}

/** The header that was parsed last: a request asks for several of its cookies. */
let last = { header: '', cookies: parseCookie('') }

function cookiesOf(header = ''): ReturnType<typeof parseCookie> {
  if (header !== last.header) last = { header, cookies: parseCookie(header) }
  return last.cookies
}

/** Value of a request's `sid` cookie; null if it is missing or the guest's. */
export function sidOf(header: string | undefined): string | null {
  const { sid } = cookiesOf(header)
  return sid === undefined || sid === '' || sid === 'Guest' ? null : sid
}

/** Whether a request has a `sid` cookie, even the guest's. */
export function hasSid(header: string | undefined): boolean {
  return cookiesOf(header)['sid'] !== undefined
}

const deviceCookieName = 'easydash_device'
/** Max age of the device cookie: as long as the device is known (`features/accounts/sign-in/known-devices.ts`). */
const deviceCookieSeconds = 180 * 24 * 3600

/** Value of a request's device cookie, or null. */
export function deviceOf(header: string | undefined): string | null {
  const value = cookiesOf(header)[deviceCookieName]
  return value !== undefined && /^[\w.-]{1,400}$/.test(value) ? value : null
}

/** The cookie that identifies a known device at sign-in. It survives logout and grants no access. */
export function deviceCookie(value: string): Cookie {
  return { name: deviceCookieName, value, maxAge: deviceCookieSeconds, httpOnly: true }
}

/** Whether a request has any of our session cookies. */
export function hasOurCookies(header: string | undefined): boolean {
  const cookies = cookiesOf(header)
  return sessionCookieNames.some((name) => cookies[name] !== undefined)
}

/** The cookies of signed-in responses. Only `sid` is HttpOnly; the others are session cookies. */
export function sessionCookies(sid: string, user: CookieUser, seconds: number = sessionCookieSeconds): Cookie[] {
  return [
    { name: 'sid', value: sid, maxAge: seconds, httpOnly: true },
    { name: 'user_id', value: user.user },
    { name: 'full_name', value: user.full_name },
    { name: 'user_image', value: user.user_image },
    { name: 'system_user', value: user.system_user },
  ]
}

/** Those of the cookies that a request does not have with this value. */
export function missingCookies(header: string | undefined, cookies: readonly Cookie[]): readonly Cookie[] {
  const sent = cookiesOf(header)
  return cookies.filter(({ name, value }) => sent[name] !== value.toWellFormed())
}

/** Cookies that clear all session cookies. */
export function expiredCookies(): Cookie[] {
  return sessionCookieNames.map((name) => ({
    name,
    value: '',
    maxAge: 0,
    expires: new Date(0),
    httpOnly: name === 'sid',
  }))
}
