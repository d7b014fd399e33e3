import type { DocumentViewers } from './document-viewers.ts'
import type { WireSocket } from './socket-types.ts'

/** How long to wait for a connection that is upgrading to a websocket (ms). */
const upgradeMs = 1000

/**
 * Closes a connection at the transport level, so that its client reconnects: with its new session, in the rooms it may still
 * join, or to be finally rejected. It receives nothing from now on. A polling connection has requests in progress, which
 * would fail with 400 and show as errors in the browser's console; once it is a websocket, it closes silently.
 */
export function endConnection(socket: WireSocket, viewers: Pick<DocumentViewers, 'leave'>): void {
  const { conn } = socket
  if (socket.data.ending) return
  socket.data = { ...socket.data, ending: true }
  viewers.leave(socket)
  for (const room of socket.rooms) if (room !== socket.id) void socket.leave(room)
  const close = () => conn.close()
  if (conn.transport.name !== 'polling') {
    close()
    return
  }
  const limit = setTimeout(close, upgradeMs).unref()
  conn.once('upgrade', close)
  conn.once('close', () => clearTimeout(limit))
}
