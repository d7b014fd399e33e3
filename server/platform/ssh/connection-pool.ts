import { orAborted } from '../abort-error.ts'
import type { SshConnection } from './connection.ts'
import type { Timers } from './deadline.ts'
import type { SshTarget } from './ssh-target.ts'

const idleMs = 60_000

interface Pooled {
  readonly connection: Promise<SshConnection>
  /** Null while it is being opened. */
  opened: SshConnection | null
  users: number
  idle: unknown
}

/** Keeps one connection to each server, opened when it is needed and closed a minute after. */
export class ConnectionPool {
  readonly #open: (target: SshTarget) => Promise<SshConnection>
  readonly #timers: Timers
  readonly #pooled = new Map<string, Pooled>()

  constructor(open: (target: SshTarget) => Promise<SshConnection>, timers: Timers) {
    this.#open = open
    this.#timers = timers
  }

  /** Works on the connection to a server. Calls share it; the signal aborts waiting for it, not opening it for others. */
  async use<T>(target: SshTarget, signal: AbortSignal, work: (connection: SshConnection) => Promise<T>): Promise<T> {
    const pooled = this.#get(target)
    this.#timers.clearTimeout(pooled.idle)
    pooled.users += 1
    try {
      return await work(await orAborted(pooled.connection, signal))
    } finally {
      pooled.users -= 1
      if (pooled.users === 0) pooled.idle = this.#timers.setTimeout(() => close(pooled), idleMs)
    }
  }

  /** Ends all connections. */
  close(): void {
    for (const pooled of this.#pooled.values()) {
      this.#timers.clearTimeout(pooled.idle)
      close(pooled)
    }
  }

  #get(target: SshTarget): Pooled {
    const { id, address, port, user, hostKey } = target
    const key = JSON.stringify([id, address, port, user, hostKey])
    const known = this.#pooled.get(key)
    if (known && (known.opened === null || known.opened.isUsable)) return known
    const pooled: Pooled = { connection: this.#open(target), opened: null, users: 0, idle: null }
    this.#pooled.set(key, pooled)
    const forget = () => {
      this.#timers.clearTimeout(pooled.idle)
      if (this.#pooled.get(key) === pooled) this.#pooled.delete(key)
    }
    pooled.connection
      .then((connection) => {
        pooled.opened = connection
        return connection.ended
      })
      .then(forget, forget)
    return pooled
  }
}

/** One that can't be opened has nothing to close. */
function close({ connection }: Pooled): void {
  connection.then(
    (opened) => opened.close(),
    () => undefined,
  )
}
