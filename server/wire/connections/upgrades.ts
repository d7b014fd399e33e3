import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { widestAddressGroup } from '#server/platform/network/address-groups.ts'

/** Connections that left HTTP and have not shown yet whose they are. */
export interface Upgrades {
  readonly size: number
  add(socket: Socket): void
  delete(socket: Socket): void
  /** The one that gives way first: the oldest of the network that has the most of them. */
  first(): Socket | undefined
  /** Those whose time is over. */
  overdue(): Socket[]
}

/** Who counts an upgraded connection. */
const counters = new WeakMap<Duplex, Upgrades>()

/**
 * Counts the upgraded connections of a server, each for so many milliseconds. HTTP's own timeouts are gone with the
 * upgrade, and nobody may be reading: without this one that was refused would stay for as long as its sender likes.
 */
export function countUpgrades(ms: number): Upgrades {
  // Both by age.
  const all = new Map<Socket, { readonly since: number; readonly network: string }>()
  const networks = new Map<string, Set<Socket>>()

  function remove(socket: Socket): void {
    const known = all.get(socket)
    if (known === undefined) return
    all.delete(socket)
    const others = networks.get(known.network)
    others?.delete(socket)
    if (others?.size === 0) networks.delete(known.network)
  }

  const upgrades: Upgrades = {
    get size() {
      return all.size
    },
    add(socket) {
      remove(socket)
      const network = widestAddressGroup(socket.remoteAddress ?? '')
      all.set(socket, { since: performance.now(), network })
      networks.set(network, (networks.get(network) ?? new Set()).add(socket))
      counters.set(socket, upgrades)
    },
    delete: remove,
    first() {
      let most: ReadonlySet<Socket> | undefined
      for (const sockets of networks.values()) if (sockets.size > (most?.size ?? 0)) most = sockets
      return most?.values().next().value
    },
    overdue() {
      const now = performance.now()
      const found: Socket[] = []
      for (const [socket, { since }] of all) {
        if (now - since <= ms) break
        found.push(socket)
      }
      return found
    },
  }
  return upgrades
}

/**
 * An upgraded connection is somebody's now and stays for as long as its protocol keeps it. The returned function takes
 * that back, when the protocol has ended and only the connection is left to close.
 */
export function admitUpgraded(socket: Duplex): () => void {
  const upgrades = counters.get(socket)
  upgrades?.delete(socket as Socket)
  return () => {
    if (!socket.destroyed) upgrades?.add(socket as Socket)
  }
}

/** Answers an `Upgrade` that leads nowhere, and closes the connection: its sender may never do so. */
export function refuseUpgrade(socket: Duplex, status: '400 Bad Request' | '501 Not Implemented'): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy())
}
