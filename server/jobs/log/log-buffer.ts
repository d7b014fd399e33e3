import type { LogLine } from '#shared/responses/job-log.ts'
import { redact } from '#server/platform/log/redact.ts'

/** Maximum length of a line in bytes; longer lines are cut. */
export const maxLineBytes = 4096
/** Maximum size of a job's log in bytes. */
export const maxLogBytes = 1024 * 1024

/** Terminal escape sequences: colors, cursor movement, window titles, and others. */
const terminalSequences =
  /\u001B\[[0-?]*[ -/]*[@-~]|\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|\u001B[PX^_][^\u001B]*(?:\u001B\\)?|\u001B[ -/]*[0-~]|[\u0080-\u009F]/g
/** Remaining control characters, and invisible ones that change the reading direction. */
const controls = /[\u0000-\u0008\u000B-\u001F\u007F\u202A-\u202E\u2066-\u2069]/g

/** Truncates text to a number of UTF-8 bytes without splitting a character. */
function truncateBytes(text: string, bytes: number): string {
  const buffer = Buffer.from(text, 'utf8')
  if (buffer.length <= bytes) return text
  const mark = '…'
  let end = bytes - Buffer.byteLength(mark)
  while (end > 0 && ((buffer[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return buffer.toString('utf8', 0, end) + mark
}

/**
 * Sanitizes foreign text into lines for storage and display: no escape sequences, control characters or secrets; length
 * limited.
 */
export function cleanLines(text: string): string[] {
  // Truncate before the regular expressions run, so that a huge line costs no more than a long one. Redact before lines are
  // cut.
  const lines = redact(text.slice(0, 256 * 1024).toWellFormed()).split(/\r\n|\n|\r/)
  while (lines.length > 1 && lines.at(-1) === '') lines.pop()
  return lines.map((line) =>
    truncateBytes(line.replace(terminalSequences, '').replaceAll('\t', '  ').replace(controls, ''), maxLineBytes),
  )
}

/** Log lines waiting to be written. */
export interface LogBuffer {
  /** Adds text; line breaks split it into several lines. */
  add(text: string, at: string): void
  /** Removes and returns all waiting lines. */
  take(): LogLine[]
  /** Puts lines back that couldn't be written. */
  putBack(lines: readonly LogLine[]): void
  /** Number of the last line, written or waiting. */
  last(): number
}

/** Continues a log that ends with line `n` and contains this many bytes. */
export function createLogBuffer(start: { n: number; bytes: number }): LogBuffer {
  let { n, bytes } = start
  let waiting: LogLine[] = []
  let full = bytes >= maxLogBytes

  return {
    add(text, at) {
      for (const line of cleanLines(text)) {
        if (full) return
        const size = Buffer.byteLength(line)
        full = bytes + size > maxLogBytes
        bytes += size
        n += 1
        waiting.push({ n, at, text: full ? 'The log of this job is full (1 MiB); further lines are not kept.' : line })
      }
    },
    take() {
      const lines = waiting
      waiting = []
      return lines
    },
    putBack(lines) {
      waiting = [...lines, ...waiting]
    },
    last: () => n,
  }
}
