import { createHash } from 'node:crypto'

/** A position in a log that consists of one or more files. */
export interface LogPosition {
  /** Which file: of a log in one file its identity on disk, of a rotated one the number of its segment. */
  readonly file: string
  /** Offset in bytes. */
  readonly offset: number
  /** It is inside a line that was already returned, cut. */
  readonly insideLine: boolean
  /** Hash of bytes before the offset: if the file has others there now, it was emptied or replaced meanwhile. */
  readonly before: string
}

/** Bytes at the beginning of a file, and before a position, that identify what was read. */
export const checkedBytes = 256

/** Hash of the first bytes of a file, and of those before a position. */
export function hashBefore(head: Buffer, tail: Buffer): string {
  return createHash('sha256').update(head).update('|').update(tail).digest('hex').slice(0, 12)
}

const form = /^([0-9a-z-]{1,40})\.(\d{1,15})(i?)\.([0-9a-f]{12})$/

/** A position as text. Its form is ours alone: callers only send it back. */
export function formatPosition({ file, offset, insideLine, before }: LogPosition): string {
  return `${file}.${offset}${insideLine ? 'i' : ''}.${before}`
}

/** The position in a text; null if it is none. */
export function parsePosition(text: string): LogPosition | null {
  const [, file, offset, inside, before] = form.exec(text) ?? []
  if (file === undefined || before === undefined) return null
  return { file, offset: Number(offset), insideLine: inside === 'i', before }
}
