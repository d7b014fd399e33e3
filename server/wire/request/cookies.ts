import fastifyCookie from '@fastify/cookie'
import { parseCookie } from 'cookie'
import type { FastifyInstance, FastifyReply } from 'fastify'

/** Longest life of a session, the age the browser keeps the cookie for; when it really ends the session store decides. */
export const sessionCookieSeconds = 30 * 24 * 3600

/** What the readable cookies say about the signed-in user. None of them has any authority. */
export interface CookieFacts {
  user: string
  full_name: string
  user_image: string
  system_user: 'yes' | 'no'
}

/** A cookie to set. What all of them share is registered with `acceptCookies`. */
export interface Cookie {
  readonly name: string
  readonly value: string
  /** Seconds; without it the cookie ends with the browser. */
  readonly maxAge?: number
  readonly expires?: Date
  readonly httpOnly?: boolean
}

const sessionCookieNames = ['sid', 'user_id', 'full_name', 'user_image', 'system_user'] as const

/** Lets replies set cookies. Each has Path=/, SameSite=Lax and, on https, Secure. */
export function acceptCookies(app: FastifyInstance, secure: boolean): void {
  app.register(fastifyCookie, {
    // Requests are read by the functions below, which sockets use as well.
    hook: false,
    parseOptions: {
      path: '/',
      sameSite: 'lax',
      secure,
      // Frappe's clients expect every special character percent-encoded, also those that a cookie could hold.
      encode: (value) => encodeURIComponent(value.toWellFormed()),
    },
  })
}

/** Sets cookies on a reply. */
export function setCookies(reply: FastifyReply, cookies: readonly Cookie[]): void {
  for (const { name, value, ...options } of cookies) reply.setCookie(name, value, options)
}

/** Value of the `sid` cookie of a request; null without one and for the guest's. */
export function sidOf(header: string | undefined): string | null {
  const { sid } = parseCookie(header ?? '')
  return sid === undefined || sid === '' || sid === 'Guest' ? null : sid
}

/** Whether a request carries a `sid` cookie, be it the guest's. */
export function hasSid(header: string | undefined): boolean {
  return parseCookie(header ?? '')['sid'] !== undefined
}

const deviceCookieName = 'easydash_device'
/** How long a browser keeps the device cookie: as long as the device is known (`features/accounts/sign-in/known-devices.ts`). */
const deviceCookieSeconds = 180 * 24 * 3600

/** Value of the device cookie of a request; null without one. */
export function deviceOf(header: string | undefined): string | null {
  const value = parseCookie(header ?? '')[deviceCookieName]
  return value !== undefined && /^[\w.-]{1,400}$/.test(value) ? value : null
}

/** The cookie by which a device is known again when it signs in. A log-out leaves it; it opens nothing. */
export function deviceCookie(value: string): Cookie {
  return { name: deviceCookieName, value, maxAge: deviceCookieSeconds, httpOnly: true }
}

/** Whether a request carries any of the cookies a signed-in browser has. */
export function hasOurCookies(header: string | undefined): boolean {
  const cookies = parseCookie(header ?? '')
  return sessionCookieNames.some((name) => cookies[name] !== undefined)
}

/** The cookies of a signed-in answer. Only `sid` is hidden from scripts; the others end with the browser. */
export function sessionCookies(sid: string, facts: CookieFacts, seconds: number = sessionCookieSeconds): Cookie[] {
  return [
    { name: 'sid', value: sid, maxAge: seconds, httpOnly: true },
    { name: 'user_id', value: facts.user },
    { name: 'full_name', value: facts.full_name },
    { name: 'user_image', value: facts.user_image },
    { name: 'system_user', value: facts.system_user },
  ]
}

/** Cookies that make a browser forget all of it. */
export function expiredCookies(): Cookie[] {
  return sessionCookieNames.map((name) => ({
    name,
    value: '',
    maxAge: 0,
    expires: new Date(0),
    httpOnly: name === 'sid',
  }))
}
