/** Start of an entry in PHP's error log: `[24-Nov-2026 23:10:11 UTC] PHP Fatal error:  …` (main/main.c of PHP). */
const entry = /^(?:\[([^\]]{1,60})\] )?PHP ((?:Fatal|Parse|Recoverable fatal|Core|Compile) error: .{0,250})/
const utcTime = /^(\d{2}-[A-Z][a-z]{2}-\d{4} \d{2}:\d{2}:\d{2}) UTC$/

/** An error that ended a request. */
export interface PhpError {
  /** Milliseconds since 1970; NaN if its time can't be read. */
  readonly at: number
  readonly text: string
}

/** The error that a line of a log begins; null for any other line. */
export function phpErrorOf(line: string): PhpError | null {
  const [, stamp = '', text] = entry.exec(line) ?? []
  if (text === undefined) return null
  const [, time = ''] = utcTime.exec(stamp) ?? []
  return { at: Date.parse(`${time.replaceAll('-', ' ')} UTC`), text: text.replace(/ +/g, ' ') }
}

/** Errors that ended a request. */
export interface PhpErrors {
  readonly count: number
  /** Text of the last one. */
  readonly last: string | null
  /** Earlier lines of the log were not read, and may have more. */
  readonly atLeast: boolean
}

/** The last lines of a log. */
export interface LogPart {
  readonly lines: readonly string[]
  /** The log has lines before these. */
  readonly isPart: boolean
}

/**
 * Errors that ended a request, since a time (milliseconds since 1970), in all these logs: in debug mode, WordPress sends them to a log
 * of its own. Warnings and notices do not count; neither do lines whose time can't be read.
 */
export function countPhpErrors(logs: readonly LogPart[], since: number): PhpErrors {
  let count = 0
  let last: string | null = null
  let lastAt = since
  let atLeast = false
  for (const { lines, isPart } of logs) {
    let isOlder = false
    for (const line of lines) {
      const error = phpErrorOf(line)
      if (error === null || Number.isNaN(error.at)) continue
      const { at, text } = error
      if (at >= since) count += 1
      else isOlder = true
      if (at < lastAt) continue
      lastAt = at
      last = text
    }
    if (isPart && !isOlder) atLeast = true
  }
  return { count, last, atLeast }
}
