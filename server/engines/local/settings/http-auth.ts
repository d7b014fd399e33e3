import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { takeCookies } from '../proxy/take-cookies.ts'
import type { HttpAuth } from '../../site-settings.ts'
import type { StoredHttpAuth } from './record-settings.ts'

/** Cookie of a person who came in by a login link: they are not asked for the password as well. */
const passName = 'easydash_pass'
/** How long it lets them in. */
const passSeconds = 12 * 3_600

const sha256 = (value: string | Buffer): Buffer => createHash('sha256').update(value).digest()

/** User name and password as stored. */
export function storeHttpAuth({ user, password }: HttpAuth): StoredHttpAuth {
  return { user, hash: sha256(`${user}:${password}`).toString('hex') }
}

/**
 * Whether a visitor may pass: by user name and password, or by the cookie of a login link. Both are removed from the request,
 * because the site must not see them: WordPress would take the password for one of its own users.
 * @param now milliseconds since 1970
 */
export function passesHttpAuth(auth: StoredHttpAuth, site: string, request: IncomingMessage, now: number): boolean {
  const byCookie = takePass(auth, site, request, now)
  const { authorization } = request.headers
  const given = /^basic +([a-z0-9+/]+=*) *$/i.exec(authorization ?? '')?.[1]
  // Hashes of one length are compared, so the time says nothing about the password.
  const isRight = timingSafeEqual(sha256(Buffer.from(given ?? '', 'base64')), Buffer.from(auth.hash, 'hex'))
  if (isRight) delete request.headers.authorization
  return isRight || byCookie
}

/** The `Set-Cookie` header that lets a person in who was logged in by a link. A new password invalidates it. */
export function passCookie(auth: StoredHttpAuth, site: string, now: number, isSecure: boolean): string {
  const expires = Math.floor(now / 1000) + passSeconds
  const secure = isSecure ? '; Secure' : ''
  return `${passName}=${expires}.${signature(auth, site, expires)}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${passSeconds}${secure}`
}

function signature({ hash }: StoredHttpAuth, site: string, expires: number): string {
  return createHmac('sha256', hash).update(`${site} ${expires}`).digest('base64url')
}

/** Whether the request has a valid pass; removes it from the request's cookies. */
function takePass(auth: StoredHttpAuth, site: string, request: IncomingMessage, now: number): boolean {
  return takeCookies(request, passName).some((pass) => isValidPass(auth, site, pass, now))
}

function isValidPass(auth: StoredHttpAuth, site: string, pass: string, now: number): boolean {
  const [, expires = '', given = ''] = /^(\d{1,12})\.([\w-]{43})$/.exec(pass) ?? []
  if (expires === '' || Number(expires) * 1000 <= now) return false
  return timingSafeEqual(sha256(given), sha256(signature(auth, site, Number(expires))))
}
