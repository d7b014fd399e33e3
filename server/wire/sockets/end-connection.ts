import type { WorkerLiveness } from './presence.ts'
import type { WireSocket } from './socket-types.ts'

/** How long a connection that is about to become a websocket is waited for (ms). */
const upgradeMs = 1000

/**
 * Ends a connection below the protocol, so that its client comes back by itself: with its new session, in the rooms it may
 * still join, or to be refused for good. From now on it hears nothing. One that polls has requests under way, which would
 * be answered with 400 and stand in the browser's console as errors; its websocket, a moment later, closes in silence.
 */
export function endConnection(socket: WireSocket, presence: Pick<WorkerLiveness, 'leave'>): void {
  const { conn } = socket
  if (socket.data.ending) return
  socket.data = { ...socket.data, ending: true }
  presence.leave(socket)
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
