import { setTimeout as delay } from 'node:timers/promises'
import { safeFetch } from '#server/platform/network/fetch.ts'
import type { AwakeSites } from './processes/awake-sites.ts'
import type { SiteProcess } from './processes/site-process-handle.ts'
import type { WordPressOrg } from './core/wordpress-org.ts'
import type { LocalEngineLog } from './options.ts'
import type { SiteRecord } from './sites/site-record.ts'
import type { SiteStore } from './sites/site-store.ts'

const roundEveryMs = 15_000
const cronEveryMs = 60_000
/** A sleeping site is woken for its scheduled events at most this often. */
const wakeForCronEveryMs = 15 * 60_000
/** A round waits this long for scheduled events; then it continues with sleep and quotas of all sites. */
const defaultCronWaitMs = 10_000
const probeEveryMs = { online: 30 * 60_000, offline: 2 * 60_000 }

/** Options of the rounds. */
export interface HousekeepingOptions {
  store: SiteStore
  awake: AwakeSites
  log: LocalEngineLog
  now(): number
  idleMinutes: number
  /** Empties the site's error log if it is too large. */
  capLog(record: SiteRecord): void
  /** Restarts sites whose debug mode has expired. */
  endDebug(): Promise<void>
  /** Runs a site's due events. */
  cron(record: SiteRecord): Promise<number>
  /** How long a round waits for them; set by tests. */
  cronWaitMs?: number
  /** Measures sites and stops those over their quota. */
  storage(): Promise<void>
  /** Deletes what is kept for a time only: each looks itself whether it is time. */
  expire?: readonly (() => Promise<void>)[]
  /** Completes what was cut off while a state of a database was being put back, and removes old ones. */
  tendUndos?(): Promise<void>
  /** Whether the internet is reachable. */
  probe(): Promise<boolean>
  setOffline(offline: boolean): void
}

/** Periodic work: sleep, scheduled events, log sizes, the network check. */
export interface Housekeeping {
  /** Runs one round now; resolves when it and the due scheduled events are done. Rounds never overlap. */
  round(): Promise<void>
  stop(): Promise<void>
}

/** Starts work that may take long, unless it goes on from before: putting back a large database must not hold up the other sites. */
function withoutWaiting(work: (() => Promise<void>) | undefined, log: LocalEngineLog): () => void {
  let going: Promise<void> | null = null
  return () => {
    going ??=
      work?.()
        .catch((error: unknown) => log.error('A round of the local engine failed', { error }))
        .finally(() => {
          going = null
        }) ?? null
  }
}

/** What a rehearsal of a backup would do at its time, the site itself has done. */
const hasEvents = ({ state, rehearsal }: SiteRecord): boolean => state === 'ready' && rehearsal !== true

/** Behind somebody's long request in wp-admin, scheduled events would keep those of all other sites waiting. */
const servesAdmin = (process: SiteProcess | null): boolean => [...(process?.runs() ?? [])].some((run) => run.isAdmin)

/** Starts the rounds, the first one immediately. A failed round is logged and does not prevent the next one. */
export function startHousekeeping(options: HousekeepingOptions): Housekeeping {
  const { store, awake, log, now } = options
  let stopped = false
  let current: Promise<void> = Promise.resolve()
  let nextCron = now() + cronEveryMs
  let nextProbe = 0
  const lastWokenForCron = new Map<string, number>()
  let crons: Promise<void> | null = null
  const tendUndos = withoutWaiting(options.tendUndos, log)
  /** The site whose scheduled events are running. */
  let inCron: string | null = null

  const cronOf = async (record: SiteRecord): Promise<void> => {
    inCron = record.id
    try {
      await options.cron(record)
    } catch (error) {
      // Expected if a plugin's event fails; the site's own log has the details.
      log.warn('Scheduled events of a site failed', { site: record.id, error })
    } finally {
      inCron = null
    }
  }

  /** Code that escaped from PHP can make its log unreadable: the round must continue for all other sites. */
  const capLogOf = (record: SiteRecord): void => {
    try {
      options.capLog(record)
    } catch (error) {
      log.warn('The error log of a site could not be looked at', { site: record.id, error })
    }
  }

  const runCron = async (): Promise<void> => {
    for (const { id } of awake.list()) {
      const record = store.get(id)
      if (stopped || record === undefined || !hasEvents(record)) continue
      if (record.siteType === 'wp' && !servesAdmin(awake.running(id))) await cronOf(record)
    }
    const time = now()
    const due = store
      .all()
      .filter(
        (record) =>
          hasEvents(record) &&
          record.stopped !== true &&
          record.nextCronAt !== null &&
          record.nextCronAt <= time &&
          awake.running(record.id) === null &&
          awake.crash(record.id) === null,
      )
      .filter((record) => time - (lastWokenForCron.get(record.id) ?? 0) >= wakeForCronEveryMs)
      .sort((a, b) => (a.nextCronAt ?? 0) - (b.nextCronAt ?? 0))[0]
    if (due === undefined || stopped) return
    lastWokenForCron.set(due.id, time)
    await cronOf(due)
  }

  const work = async (): Promise<void> => {
    if (now() >= nextProbe) {
      const online = await options.probe()
      options.setOffline(!online)
      nextProbe = now() + (online ? probeEveryMs.online : probeEveryMs.offline)
    }
    if (now() >= nextCron) {
      nextCron = now() + cronEveryMs
      for (const { id } of awake.list()) {
        const record = store.get(id)
        if (record?.state === 'ready') capLogOf(record)
      }
      if (crons === null) {
        crons = runCron()
          .catch((error: unknown) => log.error('Scheduled events of sites failed', { error }))
          .finally(() => {
            crons = null
          })
        await Promise.race([crons, delay(options.cronWaitMs ?? defaultCronWaitMs, undefined, { ref: false })])
      }
    }
    for (const id of awake.idleSince(now() - options.idleMinutes * 60_000)) {
      if (!stopped && id !== inCron) await awake.sleep(id)
    }
    if (!stopped) await options.endDebug()
    if (!stopped) tendUndos()
    if (!stopped) await options.storage()
    for (const expire of options.expire ?? []) if (!stopped) await expire()
  }

  const round = async (): Promise<void> => {
    current = current
      .then(() => (stopped ? undefined : work()))
      .catch((error: unknown) => log.error('A round of the local engine failed', { error }))
    await current
    await crons
  }
  const timer = setInterval(() => void round(), roundEveryMs)
  timer.unref()
  void round()
  return {
    round,
    stop: async () => {
      stopped = true
      clearInterval(timer)
      await current
      await crons
    },
  }
}

/** Whether wordpress.org (or its mirror) responds at all within three seconds. */
export async function isReachable({ api, profile }: WordPressOrg): Promise<boolean> {
  try {
    await safeFetch(api, { method: 'HEAD', profile, timeoutMs: 3_000 })
    return true
  } catch {
    // Offline, blocked or too slow: in all cases WordPress must not wait for it.
    return false
  }
}
