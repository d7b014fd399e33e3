import { maxRawBytes, lineOf, splitLines, type SplitLine } from './split-lines.ts'
import { checkedBytes, formatPosition, hashBefore, parsePosition, type LogPosition } from './log-position.ts'

/** A file of a log, open for reading. */
export interface LogSegment {
  /** See `LogPosition.file`. */
  readonly file: string
  /** Bytes, as of opening. */
  readonly size: number
  /** Bytes from an offset; fewer if the file is shorter by now. */
  read(offset: number, length: number): Promise<Buffer>
}

/** Why lines do not continue those that were read before. */
export type LogGap =
  /** The file is shorter or has other content: it was emptied. */
  | 'emptied'
  /** The file is gone; another one may be in its place. */
  | 'removed'

/** Lines of a log. */
export interface LogLines {
  readonly lines: readonly string[]
  /** What the log ends with if that is not a complete line yet; '' otherwise. */
  readonly partial: string
  /** For what comes after these lines. */
  readonly end: string
  /** For what comes before them; null if they begin with the log. */
  readonly start: string | null
  /** More lines follow already. */
  readonly more: boolean
  readonly gap: LogGap | null
}

/** What to read: at the end of the log, from its beginning, or next to a position of an earlier read. */
export type LogWhere = { readonly from: 'end' | 'start' } | { readonly after: string } | { readonly before: string }

/** Limits of one read. */
export interface LogLimits {
  /** At least 16 KiB. */
  readonly bytes: number
  readonly lines: number
}

/** Bytes that are searched backward for the beginning of a line. */
const maxScannedBytes = 4 * 1024 * 1024
/** The text of lines whose beginning is farther away. */
const endlessLine = '… (a line of more than 4 MB)'

/** Thrown if a position is no text from an earlier read. */
export class LogPositionError extends Error {}

/**
 * Reads lines of a log in segments, oldest first, which may grow, be emptied, or be replaced at any moment. Reading on with
 * `after` returns each line once, and says if some are missing; `before` returns what precedes a position.
 */
export async function readLog(segments: readonly LogSegment[], where: LogWhere, limits: LogLimits): Promise<LogLines> {
  if ('before' in where) return readBefore(segments, positionOf(where.before), limits)
  if ('after' in where) return readAfter(segments, positionOf(where.after), limits)
  const [oldest] = segments
  const newest = segments.at(-1)
  if (oldest === undefined || newest === undefined) return emptyLog
  if (where.from === 'start') return forward(segments, oldest, { offset: 0, insideLine: false }, limits, null)
  return readEnd(segments, newest, limits)
}

/** Position before the first line of a log that does not exist yet. */
const nowhere = formatPosition({ file: '0', offset: 0, insideLine: false, before: '0'.repeat(12) })

const emptyLog: LogLines = { lines: [], partial: '', end: nowhere, start: null, more: false, gap: null }

function positionOf(text: string): LogPosition {
  const position = parsePosition(text)
  if (position === null) throw new LogPositionError('Not a position of this log.')
  return position
}

/** The position of an offset in a segment. */
async function positionAt(segment: LogSegment, offset: number, insideLine: boolean): Promise<string> {
  return formatPosition({ file: segment.file, offset, insideLine, before: await hashAt(segment, offset) })
}

async function hashAt(segment: LogSegment, offset: number): Promise<string> {
  const from = Math.max(0, offset - checkedBytes)
  const head = await segment.read(0, Math.min(checkedBytes, offset))
  return hashBefore(head, from === 0 ? head : await segment.read(from, offset - from))
}

async function readAfter(segments: readonly LogSegment[], at: LogPosition, limits: LogLimits): Promise<LogLines> {
  const beginning = { offset: 0, insideLine: false }
  const segment = segments.find(({ file }) => file === at.file)
  const [oldest] = segments
  if (segment === undefined) {
    // A log that was not there before, or is not there now.
    const gap = at.file === '0' ? null : 'removed'
    return oldest === undefined ? { ...emptyLog, gap } : forward(segments, oldest, beginning, limits, gap)
  }
  const isSame = segment.size >= at.offset && (await hashAt(segment, at.offset)) === at.before
  if (!isSame) return forward(segments, segment, beginning, limits, 'emptied')
  return forward(segments, segment, at, limits, null)
}

/** Reads lines from a position on, in one segment. */
async function forward(
  segments: readonly LogSegment[],
  segment: LogSegment,
  { offset, insideLine }: Pick<LogPosition, 'offset' | 'insideLine'>,
  limits: LogLimits,
  gap: LogGap | null,
): Promise<LogLines> {
  const bytes = await segment.read(offset, Math.min(limits.bytes, Math.max(0, segment.size - offset)))
  const split = splitLines(bytes, insideLine, limits.lines)
  const next = segments[segments.indexOf(segment) + 1]
  const reached = offset + split.consumed
  const lines = split.lines.map(({ text }) => text)
  const rest = bytes.subarray(split.consumed)
  const isAtEnd = offset + bytes.length >= segment.size && !rest.includes('\n')
  const start = await startOf(segments, segment, offset)
  if (isAtEnd && next !== undefined) {
    // Nothing is added to it any more, so its last line is complete as it is.
    if (rest.length > 0) lines.push(lineOf(rest, 0, rest.length).text)
    return { lines, partial: '', end: await positionAt(next, 0, false), start, more: true, gap }
  }
  return {
    lines,
    partial: isAtEnd ? lineOf(rest, 0, rest.length).text : '',
    end: await positionAt(segment, reached, split.insideLine),
    start,
    more: !isAtEnd,
    gap,
  }
}

async function startOf(segments: readonly LogSegment[], segment: LogSegment, offset: number): Promise<string | null> {
  return offset === 0 && segments[0] === segment ? null : positionAt(segment, offset, false)
}

/** The last lines of a log, and what follows them so far. */
async function readEnd(segments: readonly LogSegment[], newest: LogSegment, limits: LogLimits): Promise<LogLines> {
  const from = Math.max(0, newest.size - limits.bytes)
  const bytes = await newest.read(from, newest.size - from)
  const lastEnd = bytes.lastIndexOf('\n') + 1
  if (lastEnd === 0 && bytes.length >= maxRawBytes) {
    // Nothing but a part of a line: it is reported once, and reading goes on with the next.
    const end = await positionAt(newest, from + bytes.length, true)
    const start = await startOf(segments, newest, from)
    return { lines: [lineOf(bytes, 0, bytes.length).text], partial: '', end, start, more: false, gap: null }
  }
  const at = from + lastEnd
  const end = await positionAt(newest, at, false)
  const partial = lineOf(bytes, lastEnd, bytes.length).text
  const position = { file: newest.file, offset: at, insideLine: false, before: '' }
  const { lines, start } = await backward(segments, newest, position, limits)
  return { lines, partial, end, start, more: false, gap: null }
}

async function readBefore(segments: readonly LogSegment[], at: LogPosition, limits: LogLimits): Promise<LogLines> {
  const segment = segments.find(({ file }) => file === at.file)
  const end = formatPosition(at)
  const lost = { ...emptyLog, end }
  if (segment === undefined) return at.file === '0' ? lost : { ...lost, gap: 'removed' }
  if (segment.size < at.offset || (await hashAt(segment, at.offset)) !== at.before) return { ...lost, gap: 'emptied' }
  const { lines, start } = await backward(segments, segment, at, limits)
  return { lines, partial: '', end, start, more: false, gap: null }
}

/** Reads the lines before the beginning of a line, in one segment; in the one before if it begins the segment. */
async function backward(
  segments: readonly LogSegment[],
  segment: LogSegment,
  { offset }: LogPosition,
  limits: LogLimits,
): Promise<{ lines: string[]; start: string | null }> {
  const previous = segments[segments.indexOf(segment) - 1]
  if (offset === 0 && previous !== undefined) {
    const end = { file: previous.file, offset: previous.size, insideLine: false, before: '' }
    return backward(segments, previous, end, limits)
  }
  const from = await lineStart(segment, Math.max(0, offset - limits.bytes), offset)
  const bytes = await segment.read(from.offset, offset - from.offset)
  const { lines, consumed } = splitLines(bytes, from.isInside)
  const all: SplitLine[] = [...lines]
  if (consumed < bytes.length) all.push(lineOf(bytes, consumed, bytes.length))
  const kept = all.slice(-limits.lines)
  const first = kept[0]
  const texts = kept.map(({ text }) => text)
  if (from.isInside) texts.unshift(endlessLine)
  const begins = from.offset + (kept.length < all.length ? (first?.at ?? 0) : 0)
  return { lines: texts, start: await startOf(segments, segment, begins) }
}

/** The first beginning of a line at or after `from`; if there is none before `end`, the one before. */
async function lineStart(
  segment: LogSegment,
  from: number,
  end: number,
): Promise<{ offset: number; isInside: boolean }> {
  if (from === 0) return { offset: 0, isInside: false }
  // The line feed before `from`, too: a line may begin exactly there.
  const bytes = await segment.read(from - 1, end - from + 1)
  const feed = bytes.indexOf('\n')
  if (feed >= 0 && from + feed < end) return { offset: from + feed, isInside: false }
  const piece = 256 * 1024
  for (let to = from; to > Math.max(0, from - maxScannedBytes);) {
    const at = Math.max(0, to - piece)
    const found = (await segment.read(at, to - at)).lastIndexOf('\n')
    if (found >= 0) return { offset: at + found + 1, isInside: false }
    if (at === 0) return { offset: 0, isInside: false }
    to = at
  }
  return { offset: from - maxScannedBytes, isInside: true }
}
