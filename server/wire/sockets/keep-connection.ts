import type { Duplex } from 'node:stream'
import { admitUpgraded } from '../connections/upgrades.ts'
import type { WireSocket } from './socket-types.ts'

/**
 * A connection is somebody's who may have it: its websocket, now or when it gets one, stays for as long as the protocol
 * keeps it. Whoever does not take part in the end of the protocol is not waited for.
 */
export function keepConnection({ conn }: Pick<WireSocket, 'conn'>): void {
  const keep = () => {
    // The library keeps the connection below a websocket to itself.
    const { socket } = conn.transport as unknown as { socket?: { _socket?: Duplex | null } }
    if (socket?._socket) conn.once('close', admitUpgraded(socket._socket))
  }
  if (conn.transport.name === 'websocket') keep()
  else conn.once('upgrade', keep)
}
