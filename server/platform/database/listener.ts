import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../log/log.ts'
import { namedTask, runTask, type Task } from '../log/loop-watchdog.ts'

/** Options of a listener. */
export interface ListenOptions {
  /** Called after a reconnect: notifications may have been missed, so check the rows. */
  onReconnect?: () => void
}

/** Subscribes to a channel; see `Database.listen`. */
export type Listen = (channel: string, fn: (payload: string) => void, options?: ListenOptions) => Promise<() => void>

interface Subscription {
  channel: string
  fn: (payload: string) => void
  onReconnect: (() => void) | undefined
  task: Task
}

const PAUSES_MS = [50, 200, 500, 1000, 2000, 5000]
/** How long a dead network may go undetected. */
const PROBE_EVERY_MS = 30_000

const identifier = (name: string) => `"${name.replaceAll('"', '""')}"`

/** One connection for all channels of a process. Opened with the first subscription and reopened when it breaks. */
export function createListener(config: pg.ClientConfig, log: Log): { listen: Listen; close(): Promise<void> } {
  const subscriptions = new Set<Subscription>()
  let client: pg.Client | null = null
  let connecting: Promise<pg.Client> | null = null
  let closed = false

  const call = (what: () => void) => {
    try {
      what()
    } catch (error) {
      log.error('A listener of the database failed', { error })
    }
  }

  async function open(): Promise<pg.Client> {
    const fresh = new pg.Client(config)
    fresh.on('notification', ({ channel, payload }) => {
      for (const one of [...subscriptions])
        if (one.channel === channel) call(() => runTask(one.task, () => one.fn(payload ?? '')))
    })
    let lost = false
    const probe = setInterval(() => {
      fresh.query('select 1').catch(() => onLost())
    }, PROBE_EVERY_MS)
    probe.unref()
    const onLost = () => {
      clearInterval(probe)
      if (lost || client !== fresh) return
      lost = true
      client = null
      fresh.end().catch(() => undefined)
      if (!closed) void reconnect()
    }
    fresh.on('error', onLost)
    fresh.on('end', onLost)
    try {
      await fresh.connect()
      for (const channel of new Set([...subscriptions].map((one) => one.channel)))
        await fresh.query(`listen ${identifier(channel)}`)
    } catch (error) {
      clearInterval(probe)
      fresh.end().catch(() => undefined)
      throw error
    }
    client = fresh
    return fresh
  }

  async function reconnect(): Promise<void> {
    log.warn('The connection for notifications was lost')
    for (let attempt = 0; !closed && client === null; attempt += 1) {
      await sleep(PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)], undefined, { ref: false })
      if (closed || subscriptions.size === 0) return
      try {
        await connect()
      } catch (error) {
        log.warn('The connection for notifications did not come back yet', { error, attempt: attempt + 1 })
        continue
      }
      for (const one of [...subscriptions]) if (one.onReconnect) call(one.onReconnect)
      return
    }
  }

  function connect(): Promise<pg.Client> {
    if (client) return Promise.resolve(client)
    connecting ??= open().finally(() => {
      connecting = null
    })
    return connecting
  }

  return {
    async listen(channel, fn, options = {}) {
      const subscription: Subscription = {
        channel,
        fn,
        onReconnect: options.onReconnect,
        task: namedTask(`notification ${channel}`),
      }
      subscriptions.add(subscription)
      try {
        // Listening twice to a channel is harmless; a connection that was just opened may not have this one yet.
        await (await connect()).query(`listen ${identifier(channel)}`)
      } catch (error) {
        subscriptions.delete(subscription)
        throw error
      }
      return () => {
        subscriptions.delete(subscription)
        const inUse = [...subscriptions].some((one) => one.channel === channel)
        if (!inUse) client?.query(`unlisten ${identifier(channel)}`).catch(() => undefined)
      }
    },
    async close() {
      closed = true
      subscriptions.clear()
      const open = client ?? (await connecting?.catch(() => null)) ?? null
      client = null
      await open?.end()
    },
  }
}
