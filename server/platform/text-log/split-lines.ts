import { cleanLine, maxLineBytes } from './clean-line.ts'

/** A line, and where its first byte is in the bytes it was read from. */
export interface SplitLine {
  readonly text: string
  readonly at: number
}

/** Bytes of a log as lines. */
export interface SplitLines {
  readonly lines: readonly SplitLine[]
  /** Number of bytes that are done; reading continues after them. */
  readonly consumed: number
  /** They end inside a line that was already returned, cut: its rest is skipped. */
  readonly insideLine: boolean
}

const lineFeed = 0x0a

/**
 * Splits bytes into lines. Cutting a log into pieces anywhere gives the same lines, as long as reading continues after
 * `consumed` with the returned `insideLine`: a line without its end is left for the next piece, unless it is too long anyway.
 * @param most maximum number of lines
 */
export function splitLines(bytes: Buffer, insideLine: boolean, most: number = Number.POSITIVE_INFINITY): SplitLines {
  const lines: SplitLine[] = []
  let at = 0
  let isInside = insideLine
  while (lines.length < most && at < bytes.length) {
    const end = bytes.indexOf(lineFeed, at)
    if (end < 0) {
      if (isInside) return { lines, consumed: bytes.length, insideLine: true }
      if (bytes.length - at < maxRawBytes) break
      lines.push(lineOf(bytes, at, bytes.length))
      return { lines, consumed: bytes.length, insideLine: true }
    }
    if (!isInside) lines.push(lineOf(bytes, at, end))
    isInside = false
    at = end + 1
  }
  return { lines, consumed: at, insideLine: isInside }
}

/** Bytes of a line that are looked at: twice what is shown, so that escape sequences don't shorten it. */
export const maxRawBytes = 2 * maxLineBytes

/** The line in a range of bytes: cleaned and cut. */
export function lineOf(bytes: Buffer, at: number, end: number): SplitLine {
  const isLong = end - at >= maxRawBytes
  const raw = bytes.toString('utf8', at, isLong ? at + maxRawBytes : end)
  const text = cleanLine(raw)
  return { text: isLong && !text.endsWith('…') ? `${text}…` : text, at }
}
