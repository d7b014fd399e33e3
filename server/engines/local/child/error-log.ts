import { appendFileSync } from 'node:fs'

/** Where PHP writes its errors, seen from the site's folder; as `error_log` of PHP's settings. */
const path = './logs/php-errors.log'
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** The quota of the log is kept while PHP writes, and this writes beside it: one entry a second is all there is to say. */
const everyMs = 1_000
let last = Number.NEGATIVE_INFINITY

/** Writes to the error log of the site what PHP itself could not: that it broke off. In the form of PHP's own lines. */
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
    // The site's own code may have taken the log away. The engine keeps the end of what is said here.
    process.stderr.write(`${reason}\n${String(failure)}\n`)
  }
}
