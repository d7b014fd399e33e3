import { randomInt } from 'node:crypto'
import pg from 'pg'
import type { Log } from '#server/platform/log/log.ts'

/** First key of the two-part advisory locks that show a worker is alive. An arbitrary constant. */
const lockClass = 1_163_089_226
const pauses = [50, 200, 500, 1000, 2000]

/** Options of the worker's liveness lock. */
export interface WorkerLivenessOptions {
  connectionConfig: Readonly<pg.ClientConfig>
  log: Log
  /** Called when the connection is back after an interruption: other workers may have considered this one dead. */
  onReturn(): void
}

/**
 * Proves that a worker is alive by holding a session lock on a dedicated connection. If the process is killed, PostgreSQL
 * closes the connection and releases the lock immediately, on any machine, without clocks or process ids.
 */
export class WorkerLiveness {
  /** Number of this worker; random for each start. */
  readonly worker = randomInt(1, 2 ** 31 - 1)
  readonly #options: WorkerLivenessOptions
  #client: pg.Client | null = null
  #stopped = false
  #pause: { timer: NodeJS.Timeout; done: () => void } | null = null

  constructor(options: WorkerLivenessOptions) {
    this.#options = options
  }

  /** Takes the lock; rejects if the database can't be reached. */
  async start(): Promise<void> {
    const client = new pg.Client({ ...this.#options.connectionConfig, application_name: 'easydash-worker' })
    let lost = false
    const onLost = () => {
      if (lost || this.#client !== client) return
      lost = true
      this.#client = null
      client.end().catch(() => undefined)
      if (!this.#stopped) void this.#return()
    }
    client.on('error', onLost)
    client.on('end', onLost)
    try {
      await client.connect()
      await client.query('select pg_advisory_lock($1, $2)', [lockClass, this.worker])
    } catch (error) {
      client.end().catch(() => undefined)
      throw error
    }
    this.#client = client
  }

  async #return(): Promise<void> {
    this.#options.log.warn('The connection that shows this worker alive was lost')
    for (let attempt = 0; !this.#stopped; attempt += 1) {
      await new Promise<void>((done) => {
        this.#pause = { timer: setTimeout(done, pauses[Math.min(attempt, pauses.length - 1)]), done }
      })
      if (this.#stopped) return
      try {
        await this.start()
        this.#options.onReturn()
        return
      } catch (error) {
        this.#options.log.warn('That connection did not come back yet', { error, attempt: attempt + 1 })
      }
    }
  }

  /** Numbers of all live workers, including this one while its connection is up. */
  async liveWorkers(pool: pg.Pool): Promise<Set<number>> {
    const { rows } = await pool.query<{ worker: string }>(
      `select objid::text as worker from pg_locks where locktype = 'advisory' and classid = $1 and objsubid = 2 and granted
       and database = (select oid from pg_database where datname = current_database())`,
      [lockClass],
    )
    return new Set(rows.map((row) => Number(row.worker)))
  }

  /** Releases the lock. */
  async stop(): Promise<void> {
    this.#stopped = true
    if (this.#pause) {
      clearTimeout(this.#pause.timer)
      this.#pause.done()
    }
    const client = this.#client
    this.#client = null
    await client?.end().catch(() => undefined)
  }
}
