import { appendFileSync } from 'node:fs'

/** PHP's error log, relative to the site's folder; the `error_log` setting of PHP. */
const path = './logs/php-errors.log'
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** PHP enforces the log's quota for its own writes, but not for these: one entry per second is enough. */
const everyMs = 1_000
let last = Number.NEGATIVE_INFINITY

/** Writes to the site's error log what PHP could not: that it crashed. In the format of PHP's own lines. */
export function logBrokenRun(what: string, error: unknown): void {
  if (performance.now() - last < everyMs) return
  last = performance.now()
  const now = new Date().toISOString()
  const [year, month, day] = now.slice(0, 10).split('-')
  const stamp = `${day}-${months[Number(month) - 1]}-${year} ${now.slice(11, 19)} UTC`
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
  try {
    appendFileSync(path, `[${stamp}] Easydash: ${what.slice(0, 300)}: ${reason.slice(0, 2_000)}\n`)
  } catch (failure) {
    // The site's own code may have removed the log. The engine keeps the end of stderr.
    process.stderr.write(`${reason}\n${String(failure)}\n`)
  }
}
