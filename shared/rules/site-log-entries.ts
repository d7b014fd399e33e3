import type { LogName } from './site-logs.ts'
import { parseAccessLine } from './shown-access-line.ts'
import type { LogEntry, LogLevel } from './log-entries.ts'

/** Maximum number of lines of an entry; more start a new one. */
const maxEntryLines = 200

/** Turns lines into entries. `first`: number of the first line. */
export function entriesOf(log: LogName, lines: readonly string[], first: number): LogEntry[] {
  return log === 'access' ? accessEntries(lines, first) : phpEntries(lines, first)
}

function accessEntries(lines: readonly string[], first: number): LogEntry[] {
  return lines.map((line, index) => {
    const parsed = parseAccessLine(line)
    const at = parsed?.at ?? null
    const text = parsed?.text ?? line
    return {
      key: first + index,
      level: parsed?.level ?? 'info',
      at,
      text,
      same: parsed?.same ?? text,
      count: 1,
      since: at,
    }
  })
}

/** PHP begins each message with its time: `[24-Nov-2026 20:15:01 UTC] PHP Warning:  …`. Lines without one continue it. */
const stamp = /^\[(\d{2})-([A-Z][a-z]{2})-(\d{4}) (\d{2}:\d{2}:\d{2})(?: ([^\]]{1,40}))?\] ?/

function phpEntries(lines: readonly string[], first: number): LogEntry[] {
  const entries: LogEntry[] = []
  let open: { key: number; at: number | null; lines: string[] } | null = null
  const close = (): void => {
    if (open === null) return
    const text = open.lines.join('\n')
    const { key, at } = open
    entries.push({ key, level: phpLevel(text), at, text, same: text, count: 1, since: at })
    open = null
  }
  lines.forEach((line, index) => {
    const match = stamp.exec(line)
    const isContinuation = match === null && open !== null && open.lines.length < maxEntryLines
    if (isContinuation) {
      open?.lines.push(line)
      return
    }
    close()
    if (match === null && line === '') return
    open = { key: first + index, at: phpTime(match), lines: [match === null ? line : line.slice(match[0].length)] }
  })
  close()
  return entries
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

function phpTime(match: RegExpExecArray | null): number | null {
  const [, day, month = '', year, time, zone] = match ?? []
  const number = months.indexOf(month) + 1
  if (number === 0 || zone !== 'UTC') return null
  const at = Date.parse(`${year}-${String(number).padStart(2, '0')}-${day}T${time}Z`)
  return Number.isNaN(at) ? null : at
}

const phpLevels: readonly (readonly [RegExp, LogLevel])[] = [
  [/^(?:PHP )?(?:Fatal|Parse|Core|Compile|Recoverable fatal|Catchable fatal|Uncaught)\b/i, 'error'],
  [/^(?:WordPress database error|Easydash: |Error\b)/i, 'error'],
  [/^(?:PHP )?(?:Core |Compile )?Warning\b/i, 'warning'],
  [/^(?:PHP )?(?:Notice|Strict Standards)\b/i, 'notice'],
  [/^(?:PHP )?Deprecated\b/i, 'deprecated'],
]

/** Level of a PHP message by its first words. What a plugin writes without one is information. */
export function phpLevel(text: string): LogLevel {
  if (/^(?:PHP )?(?:Core|Compile) Warning\b/i.test(text)) return 'warning'
  return phpLevels.find(([form]) => form.test(text))?.[1] ?? 'info'
}
