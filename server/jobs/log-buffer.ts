import type { LogLine } from '#shared/responses/job-log.ts'
import { redact } from '#server/platform/log/redact.ts'

/** Longest line in bytes; the rest of it is cut. */
export const longestLine = 4096
/** Most bytes the log of one job keeps. */
export const longestLog = 1024 * 1024

/** Terminal sequences: colors, cursor movement, window titles, and other escapes. */
const terminalSequences =
  /\u001B\[[0-?]*[ -/]*[@-~]|\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|\u001B[PX^_][^\u001B]*(?:\u001B\\)?|\u001B[ -/]*[0-~]|[\u0080-\u009F]/g
/** What remains of control characters, and the invisible ones that turn the reading direction around. */
const controls = /[\u0000-\u0008\u000B-\u001F\u007F\u202A-\u202E\u2066-\u2069]/g

/** Cuts text to so many bytes of UTF-8 without breaking a character. */
function cut(text: string, bytes: number): string {
  const buffer = Buffer.from(text, 'utf8')
  if (buffer.length <= bytes) return text
  const mark = '…'
  let end = bytes - Buffer.byteLength(mark)
  while (end > 0 && ((buffer[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return buffer.toString('utf8', 0, end) + mark
}

/** Foreign text as lines fit to be stored and shown: no terminal sequences, no control characters, no secrets, capped. */
export function cleanLines(text: string): string[] {
  // Cut before the expressions run, so that one huge line costs no more than a long one; secrets go first of all cuts.
  const lines = redact(text.slice(0, 256 * 1024).toWellFormed()).split(/\r\n|\n|\r/)
  while (lines.length > 1 && lines.at(-1) === '') lines.pop()
  return lines.map((line) =>
    cut(line.replace(terminalSequences, '').replaceAll('\t', '  ').replace(controls, ''), longestLine),
  )
}

/** Lines that wait to be written. */
export interface LogBuffer {
  /** Adds text; several lines when it has line breaks. */
  add(text: string, at: string): void
  /** Takes all waiting lines out. */
  take(): LogLine[]
  /** Puts lines back that could not be written. */
  putBack(lines: readonly LogLine[]): void
  /** Number of the last line, written or waiting. */
  last(): number
}

/** Continues a log after its last line `n` with so many bytes in it. */
export function createLogBuffer(start: { n: number; bytes: number }): LogBuffer {
  let { n, bytes } = start
  let waiting: LogLine[] = []
  let full = bytes >= longestLog

  return {
    add(text, at) {
      for (const line of cleanLines(text)) {
        if (full) return
        const size = Buffer.byteLength(line)
        full = bytes + size > longestLog
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
