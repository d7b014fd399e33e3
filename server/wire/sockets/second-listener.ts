import type { IncomingMessage, Server } from 'node:http'
import type { Log } from '#server/platform/log/log.ts'
import { createGuardedServer } from '../connections/guarded-server.ts'
import { socketPath, type SocketServer } from './socket-server.ts'

/**
 * An additional port for stock Frappe clients, which use it by default. It serves only sockets; the dashboard's own pages
 * may call it with cookies, because it is a different origin for them.
 */
export function createSecondListener(sockets: SocketServer, url: string, log: Pick<Log, 'warn'>): Server {
  const isSocket = (request: IncomingMessage) => request.url?.startsWith(socketPath) === true
  const server = createGuardedServer((request, response) => {
    if (!isSocket(request)) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found\n')
      return
    }
    response.setHeader('vary', 'Origin')
    if (request.headers.origin === url) {
      response.setHeader('access-control-allow-origin', url)
      response.setHeader('access-control-allow-credentials', 'true')
    }
    if (request.method === 'OPTIONS') {
      response.setHeader('access-control-allow-methods', 'GET, POST')
      response.setHeader(
        'access-control-allow-headers',
        request.headers.origin === url ? 'Authorization, Content-Type, X-Frappe-Site-Name' : '',
      )
      response.writeHead(204).end()
      return
    }
    sockets.handleRequest(request, response)
  }, log)
  return server.on('upgrade', (request, socket, head) => {
    if (isSocket(request)) sockets.handleUpgrade(request, socket, head)
    else socket.destroy()
  })
}
