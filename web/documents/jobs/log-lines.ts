import type { LogLine } from '#shared/responses/job-log.ts'
import type { LogEntry } from '#shared/rules/log-entries.ts'
import { parseTime } from '#web/lib/i18n/format-day.ts'

/** Appends a page of lines and drops duplicates (after a reconnect). */
export function appendLines(lines: readonly LogLine[], page: readonly LogLine[]): readonly LogLine[] {
  const last = lines.at(-1)?.n ?? Number.NEGATIVE_INFINITY
  const fresh = page.filter((line) => line.n > last)
  return fresh.length === 0 ? lines : [...lines, ...fresh]
}

/** Color of a line, by its prefix as command-line tools write it. */
export type LineTone = 'command' | 'good' | 'warning' | 'error' | 'plain'

/** Tone of a log line. */
export function lineTone(text: string): LineTone {
  if (/^\$ /.test(text)) return 'command'
  if (/^(error|fatal|failed)\b/i.test(text)) return 'error'
  if (/^(warning|warn|deprecated)\b/i.test(text)) return 'warning'
  if (/^(success|done|ok|ready)\b/i.test(text)) return 'good'
  return 'plain'
}

const clock = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' })

/** A line as an entry of a log: with its level, and what makes it a repeat. */
export function logEntry({ n, at, text }: LogLine): LogEntry {
  const tone = lineTone(text)
  const level = tone === 'error' || tone === 'warning' ? tone : 'info'
  const time = parseTime(at)?.getTime() ?? null
  return { key: n, level, at: time, text, same: text, count: 1, since: time }
}

/** Time of a line in the user's time zone, to the second. */
export function logClock(at: number | null): string {
  return at === null ? '' : clock.format(at)
}

/** The log as text, for copy and download. */
export function logText(lines: readonly LogLine[]): string {
  return lines.map((line) => `${line.at.slice(0, 19)} ${line.text}`).join('\n')
}
