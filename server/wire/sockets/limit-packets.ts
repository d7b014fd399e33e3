import type { WireSocket } from './socket-types.ts'

/** Packets a connection may send at once and per second; events have their own smaller budget. */
const packetBurst = 2000
const packetsPerSecond = 100
/** Maximum namespace requests per connection; clients need one. */
const maxConnects = 20

/** A packet as emitted by engine.io (socket.io's own type is the first character of its data). */
interface Packet {
  readonly data?: unknown
}

/**
 * Closes a connection that sends too many packets. One long-polling request can contain thirty thousand, all handled before
 * other requests, and each namespace request is processed and answered.
 */
export function limitPackets(connection: WireSocket['conn'], now: () => number): void {
  let left = packetBurst
  let since = now()
  let connects = 0
  connection.on('packet', ({ data }: Packet) => {
    const time = now()
    left = Math.min(packetBurst, left + ((time - since) / 1000) * packetsPerSecond) - 1
    since = time
    if (typeof data === 'string' && data.startsWith('0')) connects += 1
    if (left < 0 || connects > maxConnects) connection.close(true)
  })
}
