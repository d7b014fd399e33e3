import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { widestAddressGroup } from '#server/platform/network/address-groups.ts'

/** Upgraded connections that have not authenticated yet. */
export interface Upgrades {
  readonly size: number
  add(socket: Socket): void
  delete(socket: Socket): void
  /** The next one to close: the oldest of the network that has the most. */
  first(): Socket | undefined
  /** Connections past their time limit. */
  overdue(): Socket[]
}

/** The counter that tracks an upgraded connection. */
const counters = new WeakMap<Duplex, Upgrades>()

/**
 * Tracks the upgraded connections of a server, each for at most `ms` milliseconds. HTTP timeouts end with the upgrade, and a
 * rejected connection may not be read from: without this it would stay open as long as its client likes.
 */
export function countUpgrades(ms: number): Upgrades {
  // Both ordered by age.
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
 * Marks an upgraded connection as authenticated: its protocol decides how long it stays. The returned function reverts that,
 * when the protocol has ended and only the connection is left to close.
 */
export function markAuthenticated(socket: Duplex): () => void {
  const upgrades = counters.get(socket)
  upgrades?.delete(socket as Socket)
  return () => {
    if (!socket.destroyed) upgrades?.add(socket as Socket)
  }
}

/** Rejects an `Upgrade` and closes the connection, because the client may never do so. */
export function rejectUpgrade(socket: Duplex, status: '400 Bad Request' | '501 Not Implemented'): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy())
}
