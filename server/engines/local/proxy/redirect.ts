import type { IncomingMessage, ServerResponse } from 'node:http'
import { hasBody } from '#server/platform/network/has-body.ts'

/**
 * Sends a visitor of an alias to the same path and query below the primary domain. Browsers ask again each time, because they
 * would otherwise go on after the alias was removed; search engines take the status as permanent all the same.
 */
export function redirectTo(origin: string, request: IncomingMessage, response: ServerResponse): void {
  const { url = '/', method } = request
  // A proxy's form of a request has a whole address here.
  const location = origin + (url.startsWith('/') ? url : '/')
  const isRead = method === 'GET' || method === 'HEAD'
  response.writeHead(isRead ? 301 : 308, {
    location,
    'cache-control': 'no-cache',
    'content-length': '0',
    ...(hasBody(request) && !request.complete ? { connection: 'close' } : {}),
  })
  response.end()
}
