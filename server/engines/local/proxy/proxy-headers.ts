import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { pageHeader } from '../sites/pages.ts'

/** Headers of one connection (RFC 9110, 7.6.1), and those only we may set. */
const notForwarded = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy',
  'forwarded',
  'x-real-ip',
  'expect',
  pageHeader,
])

/** Request headers for the site: removes those that only we may set. */
export function requestHeaders(request: IncomingMessage, host: string, protocol: string): OutgoingHttpHeaders {
  const named = new Set(
    (request.headers.connection ?? '')
      .toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  )
  const headers: OutgoingHttpHeaders = {}
  for (const [name, value] of Object.entries(request.headers)) {
    if (!notForwarded.has(name) && !named.has(name) && !name.startsWith('x-forwarded-')) headers[name] = value
  }
  headers['x-forwarded-for'] = request.socket.remoteAddress ?? '127.0.0.1'
  headers['x-forwarded-host'] = host
  headers['x-forwarded-proto'] = protocol
  return headers
}

/** Response headers for the visitor. */
export function responseHeaders(from: IncomingHttpHeaders, host: string): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {}
  for (const [name, value] of Object.entries(from)) {
    if (!notForwarded.has(name)) headers[name] = value
  }
  if (from['set-cookie'] !== undefined)
    headers['set-cookie'] = from['set-cookie'].map((cookie) => stripForeignDomain(cookie, host))
  return headers
}

/** A cookie for a parent domain would be sent to other sites and the dashboard: it is restricted to this host. */
export function stripForeignDomain(cookie: string, host: string): string {
  const name = host.toLowerCase().replace(/:\d*$/, '')
  return cookie
    .split(';')
    .filter((part, index) => {
      const match = index === 0 ? null : /^\s*domain\s*(?:=\s*"?\.?([^"\s]*))?/i.exec(part)
      return match === null || match[1]?.toLowerCase() === name
    })
    .join(';')
}
