import { randomInt } from 'node:crypto'
import pg from 'pg'
import type { Log } from '#server/platform/log/log.ts'

/** First half of the two-part advisory locks that say "this worker lives". Any fixed number of our own. */
const lockClass = 1_163_089_226
const pauses = [50, 200, 500, 1000, 2000]

/** What a process needs to take part. */
export interface WorkerLivenessOptions {
  connectionConfig: Readonly<pg.ClientConfig>
  log: Log
  /** The connection is back after a break: others may have taken this worker for dead meanwhile. */
  onReturn(): void
}

/**
 * Proof that a worker lives: a session lock on a connection of its own. When the process is killed the server closes
 * the connection and the lock is gone at once, on any machine, without clocks or process ids.
 */
export class WorkerLiveness {
  /** Number of this worker; a new one for each start. */
  readonly worker = randomInt(1, 2 ** 31 - 1)
  readonly #options: WorkerLivenessOptions
  #client: pg.Client | null = null
  #stopped = false
  #pause: { timer: NodeJS.Timeout; done: () => void } | null = null

  constructor(options: WorkerLivenessOptions) {
    this.#options = options
  }

  /** Takes the lock; rejects when the database cannot be reached. */
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

  /** Numbers of all workers that live now, this one included while its connection stands. */
  async liveWorkers(pool: pg.Pool): Promise<Set<number>> {
    const { rows } = await pool.query<{ worker: string }>(
      `select objid::text as worker from pg_locks where locktype = 'advisory' and classid = $1 and objsubid = 2 and granted
       and database = (select oid from pg_database where datname = current_database())`,
      [lockClass],
    )
    return new Set(rows.map((row) => Number(row.worker)))
  }

  /** Gives the lock up. */
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
