import { readAccessLine } from './access-line.ts'
import type { LogLevel } from './log-entries.ts'

/** A line of the access log, as a list shows it. */
export interface AccessLine {
  readonly at: number | null
  readonly level: LogLevel
  /** Status, method, path and the rest. */
  readonly text: string
  /** Status, method and path. */
  readonly same: string
}

/** Parses a line; null if it has another form. */
export function parseAccessLine(line: string): AccessLine | null {
  const fields = readAccessLine(line)
  if (fields === null) return null
  const { at, address, method, target, status, bytes, referrer, agent, tookMs } = fields
  const same = `${status} ${method} ${target}`
  const rest = [bytes === '-' ? '' : `${bytes} B`, address === '-' ? '' : address, agent === '-' ? '' : agent]
  const from = referrer === '-' ? '' : `from ${referrer}`
  return {
    at,
    level: status >= 500 ? 'error' : status >= 400 ? 'warning' : 'info',
    text: [same, tookMs === null ? '' : `${tookMs} ms`, ...rest, from].filter((part) => part !== '').join('  '),
    same,
  }
}
