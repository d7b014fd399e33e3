import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { isExported, type TableShape } from './format.ts'
import { invalidArchive } from './archive-errors.ts'

const quoted = (name: string) => pg.escapeIdentifier(name)
const columnList = ({ columns }: TableShape) => columns.map(quoted).join(', ')

/** The exported tables with their columns: documents first, because other rows reference them. */
export async function exportedTables(client: pg.ClientBase): Promise<TableShape[]> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `select c.table_name as name, array_agg(c.column_name::text order by c.ordinal_position) as columns
       from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
      where table_schema = current_schema() and t.table_type = 'BASE TABLE' and c.is_generated = 'NEVER' group by c.table_name order by c.table_name`,
  )
  const tables = rows.filter(({ name }) => isExported(name))
  const isDocument = ({ name }: TableShape) => name.startsWith('tab_')
  return [...tables.filter(isDocument), ...tables.filter((one) => !isDocument(one))]
}

/** A table's rows in COPY format, in pieces of about `pieceBytes`. Returns the number of rows. */
export async function* copyRows(
  client: pg.ClientBase,
  table: TableShape,
  pieceBytes: number,
): AsyncGenerator<Buffer, number> {
  const stream = client.query(copyTo(`copy ${quoted(table.name)} (${columnList(table)}) to stdout`))
  let parts: Buffer[] = []
  let size = 0
  for await (const part of stream as AsyncIterable<Buffer>) {
    parts.push(part)
    size += part.length
    if (size < pieceBytes) continue
    yield Buffer.concat(parts)
    parts = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(parts)
  return stream.rowCount
}

/** Imports rows, table by table. */
export interface RowsIn {
  /** A piece of a table's rows, in order. Throws if the pieces of a table are not consecutive. */
  write(table: string, piece: Buffer): Promise<void>
  /** Completes the last table and returns the number of rows per table. Can be called again. */
  end(): Promise<Record<string, number>>
  /** Aborts the COPY so that the connection can roll back. Never throws. */
  abandon(): Promise<void>
}

/** A table that is receiving rows. */
interface OpenTable {
  readonly name: string
  readonly stream: ReturnType<typeof copyFrom>
  /** Rejects if the database rejects the rows. */
  readonly failed: Promise<never>
  hasFailed(): boolean
}

function openTable(name: string, stream: ReturnType<typeof copyFrom>): OpenTable {
  let isFailed = false
  const failed = new Promise<never>((_resolve, reject) =>
    stream.once('error', (error) => {
      isFailed = true
      reject(error)
    }),
  )
  // The next write reports it; nothing may be awaiting the promise right now.
  failed.catch(() => undefined)
  return { name, stream, failed, hasFailed: () => isFailed }
}

/** Fills tables in the transaction of `client`. */
export function rowsIn(client: pg.ClientBase, tables: readonly TableShape[]): RowsIn {
  const rows: Record<string, number> = {}
  let open: OpenTable | null = null

  async function close(): Promise<void> {
    if (!open) return
    const { name, stream, failed } = open
    open = null
    await Promise.race([settled((done) => stream.end(done)), failed])
    rows[name] = stream.rowCount
  }

  return {
    async write(name, piece) {
      if (open?.name !== name) {
        await close()
        const table = tables.find((one) => one.name === name)
        if (!table || name in rows) throw invalidArchive(`rows of ${name} where none belong`)
        const stream = client.query(copyFrom(`copy ${quoted(name)} (${columnList(table)}) from stdin`))
        open = openTable(name, stream)
      }
      const { stream, failed } = open
      await Promise.race([settled((done) => stream.write(piece, done)), failed])
    },
    async end() {
      await close()
      return rows
    },
    async abandon() {
      if (!open || open.hasFailed()) return
      const { stream, failed } = open
      open = null
      stream.destroy(new Error('The import is given up.'))
      await failed.catch(() => undefined)
    },
  }
}

/** Wraps a stream callback in a promise. */
function settled(start: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => start((error) => (error ? reject(error) : resolve())))
}
