import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { hasBody } from '#server/platform/network/has-body.ts'
import { openedBackup, sendPage } from '../sites/pages.ts'
import type { SiteRecord } from '../sites/site-record.ts'

/** What every answer of an opened backup says, whatever its code says. */
const ownHeaders = {
  'x-robots-tag': 'noindex, nofollow',
  // Its address is all that a visitor needs.
  'referrer-policy': 'same-origin',
} as const
/** Addresses of the live site that its code has written down are reached by no form and no script. */
const ownPolicy = "form-action 'self'; connect-src 'self'"

/** What signs a visitor in, is for those who are, or changes something by being read. */
const closedPath = /\/(wp-admin|\.easydash|(wp-(login|signup|activate|cron|trackback)|xmlrpc)\.php)(\/|$)/i

/** Whether a request to a rehearsal of a backup gets an answer: others than our own get one while it is open, and then nobody does. */
export function isVisible({ rehearsal, openUntil }: SiteRecord, isOwn: boolean, now: number): boolean {
  if (openUntil !== undefined) return openUntil > now
  return isOwn || rehearsal !== true
}

/**
 * Lets visitors of an opened backup read, signed in as nobody.
 * @returns false if the request was answered
 */
export function limitToReading(request: IncomingMessage, response: ServerResponse): boolean {
  const isReading = (request.method === 'GET' || request.method === 'HEAD') && !hasBody(request)
  if (!isReading || closedPath.test(pathOf(request.url ?? '/'))) {
    sendPage(request, response, openedBackup)
    return false
  }
  delete request.headers.cookie
  delete request.headers.authorization
  for (const [name, value] of Object.entries(ownHeaders)) response.setHeader(name, value)
  response.setHeader('content-security-policy', ownPolicy)
  return true
}

/** The headers of an answer of its code, without what would keep a visitor signed in. */
export function headersForReading(from: IncomingHttpHeaders): IncomingHttpHeaders {
  const { 'set-cookie': _cookies, 'content-security-policy': policy, ...headers } = from
  // Policies add up.
  return { ...headers, ...ownHeaders, 'content-security-policy': policy ? `${policy}, ${ownPolicy}` : ownPolicy }
}

function pathOf(url: string): string {
  const [path = ''] = url.split('?', 1)
  try {
    return decodeURIComponent(path).replaceAll('\\', '/')
  } catch {
    return path
  }
}
