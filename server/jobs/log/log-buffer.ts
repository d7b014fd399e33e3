import type { LogLine } from '#shared/responses/job-log.ts'
import { redact } from '#server/platform/log/redact.ts'
import { cleanLine } from '#server/platform/text-log/clean-line.ts'

/** Maximum size of a job's log in bytes. */
export const maxLogBytes = 1024 * 1024

/**
 * Sanitizes foreign text into lines for storage and display: no escape sequences, control characters or secrets; length
 * limited.
 */
export function cleanLines(text: string, redacted: (text: string) => string = redact): string[] {
  // Truncate before the regular expressions run, so that a huge line costs no more than a long one. Redact before lines are
  // cut.
  const lines = redacted(text.slice(0, 256 * 1024).toWellFormed()).split(/\r\n|\n|\r/)
  while (lines.length > 1 && lines.at(-1) === '') lines.pop()
  return lines.map(cleanLine)
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
