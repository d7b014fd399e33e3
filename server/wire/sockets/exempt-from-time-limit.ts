import type { Duplex } from 'node:stream'
import { markAuthenticated } from '../connections/upgrades.ts'
import type { WireSocket } from './socket-types.ts'

/**
 * Marks an admitted connection as authenticated: its websocket, now or after an upgrade, stays open as long as the protocol
 * keeps it. After that the connection's time limit applies again.
 */
export function exemptFromTimeLimit({ conn }: Pick<WireSocket, 'conn'>): void {
  const keep = () => {
    // The library does not expose the connection below a websocket.
    const { socket } = conn.transport as unknown as { socket?: { _socket?: Duplex | null } }
    if (socket?._socket) conn.once('close', markAuthenticated(socket._socket))
  }
  if (conn.transport.name === 'websocket') keep()
  else conn.once('upgrade', keep)
}
