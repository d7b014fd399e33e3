import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http'

/** Headers that belong to one connection (RFC 9110, 7.6.1), and those only we may set. */
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
])

/** What a site is told of a visitor's request: never what only we may say. */
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

/** What a visitor is told of a site's answer. */
export function responseHeaders(from: IncomingHttpHeaders, host: string): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {}
  for (const [name, value] of Object.entries(from)) {
    if (!notForwarded.has(name)) headers[name] = value
  }
  if (from['set-cookie'] !== undefined)
    headers['set-cookie'] = from['set-cookie'].map((cookie) => withoutForeignDomain(cookie, host))
  return headers
}

/** A cookie for a domain above the site would reach other sites and the dashboard: it becomes a cookie of this host. */
export function withoutForeignDomain(cookie: string, host: string): string {
  const name = host.toLowerCase().replace(/:\d*$/, '')
  return cookie
    .split(';')
    .filter((part, index) => {
      const match = index === 0 ? null : /^\s*domain\s*(?:=\s*"?\.?([^"\s]*))?/i.exec(part)
      return match === null || match[1]?.toLowerCase() === name
    })
    .join(';')
}
