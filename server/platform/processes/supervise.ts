import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log/log.ts'

/** A database server that this process can wait for; `exited` settles once it is gone. */
interface SupervisedServer {
  readonly pid: number
  readonly exited: Promise<void>
}

/** Options of the supervision. */
export interface SupervisionOptions<Server extends SupervisedServer> {
  server: Server
  log: Pick<Log, 'error'>
  /** Restarts a server that died, or takes over one that another process restarted. */
  again: () => Promise<Server>
  /** Ends the server and resolves when its process is gone. */
  end: (server: Server) => Promise<void>
  /** Unregisters this process as a user of the server; true if there are no others. */
  leave: () => Promise<boolean>
}

/** A server that is restarted when it dies. */
export interface Supervised {
  /** Current process id of the server. */
  pid(): number
  onExit(listener: () => void): () => void
  onRestart(listener: () => void): () => void
  stop(): Promise<void>
}

/** Delay before each further restart attempt; the last one repeats. */
const PAUSES_MS = [50, 200, 500, 1000, 2000, 5000, 10_000]

/** Monitors a server until `stop`. */
export function supervise<Server extends SupervisedServer>(options: SupervisionOptions<Server>): Supervised {
  const { log } = options
  let { server } = options
  let stopping: Promise<void> | null = null
  let restarting: Promise<void> = Promise.resolve()
  const exitListeners = new Set<() => void>()
  const restartListeners = new Set<() => void>()

  const subscribe = (listeners: Set<() => void>) => (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const notify = (listeners: Set<() => void>) => {
    for (const listener of [...listeners]) {
      try {
        listener()
      } catch (error) {
        log.error('A listener of the database failed', { error })
      }
    }
  }

  const restart = async () => {
    for (let attempt = 0; stopping === null; attempt += 1) {
      await sleep(PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)], undefined, { ref: false })
      if (stopping !== null) return
      try {
        server = await options.again()
        return
      } catch (error) {
        log.error('The database could not be started again', { error, attempt: attempt + 1 })
      }
    }
  }

  const guard = () => {
    void server.exited.then(() => {
      if (stopping !== null) return
      log.error('The database ended unexpectedly; it is started again', { pid: server.pid })
      notify(exitListeners)
      restarting = restart().then(() => {
        if (stopping !== null) return
        notify(restartListeners)
        guard()
      })
    })
  }
  guard()

  return {
    pid: () => server.pid,
    onExit: subscribe(exitListeners),
    onRestart: subscribe(restartListeners),
    stop() {
      stopping ??= (async () => {
        await restarting
        if (await options.leave()) await options.end(server)
      })()
      return stopping
    },
  }
}
