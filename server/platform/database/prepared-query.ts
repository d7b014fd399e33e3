import pg from 'pg'

/** What `pg` keeps of the columns of a result. */
interface Columns {
  fields: readonly { readonly name: string; readonly dataTypeID: number }[]
  _parsers: unknown
  _prebuiltEmptyResultObject: unknown
}

/** The parts of `pg` that its types leave out. Its version is exact. */
interface Connection {
  describe(): void
}
interface Query {
  name: string
  readonly _result: Columns
  _accumulateRows: boolean
  hasBeenParsed(connection: Connection): boolean
  prepare(connection: Connection): void
  handleRowDescription(message: unknown): void
}

const PgQuery = pg.Query as unknown as new (
  text: string,
  values: unknown[],
  callback: (error: Error | null, result: pg.QueryResult) => void,
) => Query

/** What is known of the prepared statements of a connection. */
interface Described {
  /** The columns of their results, by name of the statement. */
  readonly columns: Map<string, Columns>
  /** The connection, without a message that asks for a description. */
  readonly undescribed: Connection
}

const describedBy = new WeakMap<Connection, Described>()
/** Connections share what is the same, which is nearly all. */
const shared = new Map<string, Columns>()

function describedOf(connection: Connection): Described {
  const known = describedBy.get(connection)
  if (known) return known
  const undescribed = Object.create(connection, { describe: { value: () => undefined } }) as Connection
  const described = { columns: new Map<string, Columns>(), undescribed }
  describedBy.set(connection, described)
  return described
}

/**
 * A prepared statement that asks for the description of its result only until a connection has it: PostgreSQL refuses to execute
 * one whose result has changed. For a row of a hundred columns it is as much as the row itself, on both sides.
 */
class PreparedQuery extends PgQuery {
  #connection: Connection | null = null

  override prepare(connection: Connection): void {
    this.#connection = connection
    const { columns, undescribed } = describedOf(connection)
    const known = columns.get(this.name)
    if (!known || !this.hasBeenParsed(connection)) {
      super.prepare(connection)
      return
    }
    Object.assign(this._result, known)
    this._accumulateRows = true
    super.prepare(undescribed)
  }

  override handleRowDescription(message: unknown): void {
    super.handleRowDescription(message)
    if (this.#connection) describedOf(this.#connection).columns.set(this.name, sharedColumns(this.name, this._result))
  }
}

function sharedColumns(name: string, { fields, _parsers, _prebuiltEmptyResultObject }: Columns): Columns {
  const other = shared.get(name)?.fields ?? []
  const isSame = (field: Columns['fields'][number], at: number) =>
    field.name === other[at]?.name && field.dataTypeID === other[at].dataTypeID
  if (other.length !== fields.length || !fields.every(isSame))
    shared.set(name, { fields, _parsers, _prebuiltEmptyResultObject })
  return shared.get(name) ?? { fields, _parsers, _prebuiltEmptyResultObject }
}

/** Executes a statement that is prepared under a name. */
export function queryPrepared(
  client: pg.ClientBase,
  { name, text, values }: { name: string; text: string; values: unknown[] },
): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    const query = new PreparedQuery(text, values, (error, result) => {
      if (error === null) resolve(result)
      else reject(error)
    })
    query.name = name
    client.query(query as unknown as pg.Query)
  })
}
