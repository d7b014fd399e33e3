import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { sameSecret } from '#server/platform/secrets/tokens.ts'

/** Says of a request that another web process passed it on, and from whom. */
export const forwardedHeader = 'x-easydash-forwarded'

/**
 * Gives a connection from another web process the address of the client whose requests it carries, so that everything after
 * this sees that client. The header is removed from every request; without the token it means nothing. False for a connection over
 * the unix socket that is from no web process.
 */
export function takeForwarded(request: IncomingMessage, token: string): boolean {
  const { headers, rawHeaders, socket } = request
  const value = headers[forwardedHeader]
  if (value === undefined) return !isLocal(socket)
  Reflect.deleteProperty(headers, forwardedHeader)
  for (let at = rawHeaders.length - 2; at >= 0; at -= 2)
    if (rawHeaders[at]?.toLowerCase() === forwardedHeader) rawHeaders.splice(at, 2)
  const [sent = '', address = ''] = String(value).split(' ')
  if (!sameSecret(sent, token)) return !isLocal(socket)
  Object.defineProperty(socket, 'remoteAddress', { value: address, configurable: true })
  return true
}

/** Whether a connection came over a unix socket: it has no addresses. */
function isLocal(socket: Socket): boolean {
  return socket.localAddress === undefined
}
