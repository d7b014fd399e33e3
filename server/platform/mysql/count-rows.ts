import { createHash, type Hash } from 'node:crypto'
import { Transform } from 'node:stream'

/** Bytes at the beginning of a line that are looked at: names of tables and lists of columns that we count are shorter. */
const headBytes = 65_536
/** Bytes at the beginning of a row that are passed on. */
const rowHeadBytes = 512
/** Tables that are counted; a WordPress has far fewer. */
export const maxTables = 1_000
const [newline, quote, backslash, open, close, end] = [10, 39, 92, 40, 41, 59]

const name = '`((?:[^`]|``)*)`'
const table = new RegExp(`^CREATE TABLE ${name} \\(`)
const column = '`(?:[^`]|``)*`'
const insert = new RegExp(`^INSERT INTO ${name} (?:\\(${column}(?:, ${column})*\\) )?VALUES`)

/** A stream that lets a dump pass, and the rows of each table that it had. */
export interface RowCounter {
  readonly through: Transform
  /** Complete once the stream has ended. */
  readonly rows: ReadonlyMap<string, number>
}

/** A row of a dump. */
export interface DumpRow {
  readonly table: string
  /** How it begins, from its bracket on. */
  readonly head: string
  /** Of all of it, as the dump words it. */
  readonly sha256: Buffer
}

/** Reads each row, whose data can come in any number of parts. */
function createRowReader(onRow: (row: DumpRow) => void) {
  /** The row that is read, and from where on it is in the data. */
  let row: { readonly sum: Hash; head: string; from: number } | null = null
  const feed = (data: Buffer, end: number): void => {
    if (row === null) return
    const part = data.subarray(row.from, end)
    row.sum.update(part)
    if (row.head.length < rowHeadBytes) row.head += part.toString('latin1', 0, rowHeadBytes - row.head.length)
    row.from = 0
  }
  return {
    begin(from: number): void {
      row = { sum: createHash('sha256'), head: '', from }
    },
    feed,
    end(data: Buffer, end: number, table: string): void {
      if (row === null) return
      feed(data, end)
      onRow({ table, head: Buffer.from(row.head, 'latin1').toString(), sha256: row.sum.digest() })
      row = null
    },
  }
}

/**
 * Counts the rows in a dump of `mariadb-dump` or `mysqldump`, whose statements begin on a line of their own and whose texts have their
 * line breaks escaped.
 * @param onRow gets each row; without it, rows are not hashed
 */
export function createRowCounter(onRow?: (row: DumpRow) => void): RowCounter {
  const rows = new Map<string, number>()
  /** The beginning of a line whose rest is still to come. */
  let held: Buffer = Buffer.alloc(0)
  let at: 'begin' | 'line' | 'rows' | 'text' = 'begin'
  let current = ''
  let depth = 0
  const reader = onRow && createRowReader(onRow)

  /** Looks at the beginning of a line. */
  const begin = (data: Buffer, from: number): number => {
    const lineEnd = data.indexOf(newline, from)
    const head = data.toString('utf8', from, Math.min(lineEnd < 0 ? data.length : lineEnd, from + headBytes))
    const created = table.exec(head)
    // Bodies of triggers can have any number of lines like this one.
    if (created !== null && rows.size < maxTables) rows.set(nameOf(created), 0)
    const values = insert.exec(head)
    at = values === null ? 'line' : 'rows'
    if (values === null) return from
    current = nameOf(values)
    depth = 0
    return from + Buffer.byteLength(values[0])
  }
  /** Goes on in a list of rows. */
  const next = (data: Buffer, from: number): number => {
    for (let n = from; n < data.length; n += 1) {
      const byte = data[n]
      if (byte === quote) {
        at = 'text'
        return n + 1
      }
      if (byte === open) {
        depth += 1
        const counts = depth === 1 && (rows.has(current) || rows.size < maxTables)
        if (counts) rows.set(current, (rows.get(current) ?? 0) + 1)
        if (depth === 1) reader?.begin(n)
      } else if (byte === close) {
        depth -= 1
        if (depth === 0) reader?.end(data, n + 1, current)
      } else if (byte === end && depth === 0) {
        at = 'line'
        return n + 1
      }
    }
    return data.length
  }
  /** Goes on in a text. A backslash at the end of the data waits for what it escapes. */
  const skip = (data: Buffer, from: number): number => {
    for (let n = from; n < data.length; n += 1) {
      if (data[n] === backslash) {
        if (n + 1 === data.length) return n
        n += 1
      } else if (data[n] === quote) {
        at = 'rows'
        return n + 1
      }
    }
    return data.length
  }
  const read = (data: Buffer, isLast: boolean): Buffer => {
    const rest = readOn(data, isLast)
    reader?.feed(data, data.length - rest.length)
    return rest
  }
  const readOn = (data: Buffer, isLast: boolean): Buffer => {
    let from = 0
    while (from < data.length) {
      if (at === 'line') {
        const found = data.indexOf(newline, from)
        if (found < 0) return data.subarray(data.length)
        from = found + 1
        at = 'begin'
      } else if (at === 'begin') {
        const isKnown = isLast || data.length - from >= headBytes || data.indexOf(newline, from) >= 0
        if (!isKnown) break
        from = begin(data, from)
      } else if (at === 'rows') from = next(data, from)
      else {
        const reached = skip(data, from)
        if (reached < data.length && at === 'text') return data.subarray(reached)
        from = reached
      }
    }
    return data.subarray(from)
  }
  const through = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      held = read(held.length === 0 ? chunk : Buffer.concat([held, chunk]), false)
      done(null, chunk)
    },
    flush(done) {
      read(held, true)
      done()
    },
  })
  return { through, rows }
}

const nameOf = (found: RegExpExecArray): string => (found[1] ?? '').replaceAll('``', '`')
