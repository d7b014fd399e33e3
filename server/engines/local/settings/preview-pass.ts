import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { takeCookies } from '../proxy/take-cookies.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import type { StoredPreview } from './record-settings.ts'

/** Path of preview links. Hidden paths never belong to a site. */
const previewPath = '/.easydash/preview'
/** Cookie of a visitor who came by a preview link; its value is the link's token. */
const cookieName = 'easydash_preview'

const tokenPattern = /^[\w-]{43}$/

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

/**
 * A new preview link: 256 random bits, of which only the hash is stored.
 * @param until milliseconds since 1970
 */
export function newPreview(siteUrl: string, until: number): { stored: StoredPreview; url: string } {
  const token = randomBytes(32).toString('base64url')
  return { stored: { hash: hashOf(token), until }, url: `${siteUrl}${previewPath}?token=${token}` }
}

/**
 * Whether the visitor came by the site's preview link, before it expires. Removes the cookie from the request, because the
 * site's code must not learn the link.
 * @param now milliseconds since 1970
 */
export function hasPreviewPass(preview: StoredPreview | undefined, request: IncomingMessage, now: number): boolean {
  return takeCookies(request, cookieName).some((token) => isValid(preview, token, now))
}

/**
 * Answers a preview link: gives the browser the cookie and leads to the homepage, without the token in its address.
 * @returns false if the request is none
 */
export function answerPreviewLink(
  { settings }: SiteRecord,
  request: IncomingMessage,
  response: ServerResponse,
  { now, isSecure, expired }: { now: number; isSecure: boolean; expired(): void },
): boolean {
  const { url = '/' } = request
  if (!url.startsWith(`${previewPath}?`)) return false
  const token = new URLSearchParams(url.slice(previewPath.length + 1)).get('token') ?? ''
  const preview = settings?.preview
  if (preview === undefined || !isValid(preview, token, now)) {
    expired()
    return true
  }
  const seconds = Math.max(1, Math.floor((preview.until - now) / 1000))
  const secure = isSecure ? '; Secure' : ''
  response.writeHead(302, {
    location: '/',
    'set-cookie': `${cookieName}=${token}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'content-length': '0',
  })
  response.end()
  return true
}

function isValid(preview: StoredPreview | undefined, token: string, now: number): boolean {
  if (preview === undefined || preview.until <= now || !tokenPattern.test(token)) return false
  return timingSafeEqual(Buffer.from(hashOf(token)), Buffer.from(preview.hash))
}
