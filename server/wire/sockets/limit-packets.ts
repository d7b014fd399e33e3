import type { WireSocket } from './socket-types.ts'

/** Packets a connection may send at once, and how many may follow each second; events have a smaller budget of their own. */
const packetBurst = 2000
const packetsPerSecond = 100
/** Namespaces a connection may ask for; clients ask for one. */
const maxConnects = 20

/** What a connection tells of a packet (engine.io's type; socket.io's own type is the first character). */
interface Packet {
  readonly data?: unknown
}

/**
 * Closes a connection that sends too many packets. One request of long polling holds thirty thousand, all of which are
 * handled before anybody else's request, and each that asks for a namespace is looked at and answered.
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
