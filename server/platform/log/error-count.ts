import type { Log } from './log.ts'

/** Number of errors logged. */
export interface ErrorStats {
  readonly since_start: number
  readonly last_hour: number
  /** ISO time of the last error; null if there is none. */
  readonly last_at: string | null
}

const hour = 3_600_000
/** Number of timestamps kept; also the maximum reported per hour. */
const most = 1000

/** Wraps a log and counts its errors, including those of its children. */
export function countErrors(log: Log, now: () => number = Date.now): { log: Log; figures(): ErrorStats } {
  let total = 0
  const times: number[] = []
  const wrap = (target: Log): Log => ({
    ...target,
    error(message, fields) {
      total += 1
      times.push(now())
      if (times.length > most) times.shift()
      target.error(message, fields)
    },
    child: (fields) => wrap(target.child(fields)),
  })
  return {
    log: wrap(log),
    figures() {
      const last = times.at(-1)
      return {
        since_start: total,
        last_hour: times.filter((time) => time > now() - hour).length,
        last_at: last === undefined ? null : new Date(last).toISOString(),
      }
    },
  }
}
