import { call, type ListOptions } from './api.ts'
import { checkedRows } from './checked-response.ts'
import { listMethod, listParams, methodAddress } from './wire-address.ts'

/** What is counted; `group_by` counts for each value of a field. */
export interface CountQuery extends Pick<ListOptions, 'filters' | 'or_filters'> {
  readonly doctype: string
  readonly group_by?: string
  /** Counting stops there. */
  readonly limit?: number
}

/** A method that runs several queries at once: results in their order, null for a denied one. */
interface BatchMethod<Query> {
  readonly method: string
  /** Queries that the method accepts in one call. */
  readonly maxQueries: number
  /** Error message if a response has none. */
  readonly failure: string
  readonly priority?: 'low'
  /** Parameter of the method that holds the queries. Default: `queries`. */
  readonly parameter?: string
  /** How long queries are collected (ms). Default: one turn of the event loop. */
  readonly windowMs?: number
  /** Reads one query in a call of its own, whose error has the reason of a denial. */
  alone(query: Query): Promise<unknown>
}

interface Waiting<Query> {
  readonly query: Query
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

/** Longest URL in characters: common proxies accept 8,000. */
const maxAddressLength = 7000

/**
 * A reader whose queries of one moment share a call: on slow networks a screen's dozen reads would take as
 * many round trips. A single query is read alone. It throws `ApiError`.
 */
export function createBatch<Query>(options: BatchMethod<Query>): (query: Query) => Promise<unknown> {
  const { method, maxQueries, failure, priority, parameter = 'queries', windowMs = 0, alone } = options
  let waiting: Waiting<Query>[] = []
  const queriesOf = (batch: readonly Waiting<Query>[]) => ({ [parameter]: batch.map(({ query }) => query) })
  const isLong = (batch: readonly Waiting<Query>[]) => methodAddress(method, queriesOf(batch)).length > maxAddressLength

  const send = async (batch: readonly Waiting<Query>[]): Promise<void> => {
    const [only] = batch
    if (only && batch.length === 1) return settle(only, alone(only.query))
    try {
      const results = await call<readonly unknown[]>(method, queriesOf(batch), { verb: 'GET', failure, priority })
      // A denied query is read again alone, because only that response has the reason.
      batch.forEach((one, at) => void settle(one, results[at] ?? alone(one.query)))
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
  const flush = (): void => {
    const all = waiting
    waiting = []
    while (all.length > 0) {
      let size = Math.min(all.length, maxQueries)
      while (size > 1 && isLong(all.slice(0, size))) size = Math.ceil(size / 2)
      void send(all.splice(0, size))
    }
  }
  return (query) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ query, resolve, reject }) === 1) setTimeout(flush, windowMs)
    })
}

async function settle<Query>({ resolve, reject }: Waiting<Query>, result: unknown): Promise<void> {
  try {
    resolve(await result)
  } catch (error) {
    reject(error)
  }
}

const countFailure = 'There was an error while getting the count.'
const listFailure = 'There was an error while fetching the documents.'

const counts = createBatch<CountQuery>({
  method: 'easydash.api.documents.get_counts',
  maxQueries: 40,
  failure: countFailure,
  priority: 'low',
  alone: countAlone,
})

const lists = createBatch<Record<string, unknown>>({
  method: 'easydash.api.documents.get_lists',
  maxQueries: 20,
  failure: listFailure,
  // Many follow from counts, which arrive in several responses.
  windowMs: 80,
  alone: (params) => call(listMethod, params, { verb: 'GET', failure: listFailure }),
})

/** Counts once: a number, or with `group_by` rows as of a list. Counts requested together share one call. Throws `ApiError`. */
export function readCount<T>(query: CountQuery): Promise<T> {
  return counts(query) as Promise<T>
}

/** Reads the rows of a list once, at most 500 (`limit` 0). Throws `ApiError`, also if they lack what was asked for. */
export async function readList<T>(doctype: string, options: ListOptions, priority?: 'low'): Promise<T[]> {
  const params = listParams(doctype, options)
  const rows = await call(listMethod, params, { verb: 'GET', failure: listFailure, priority })
  return checkedRows(rows, doctype, options.fields)
}

/**
 * Reads the rows of a small list once. Lists requested together this way share one call, which takes as long as the slowest
 * of them: not for lists that users page through. Throws `ApiError`.
 */
export async function readSmallList<T>(doctype: string, options: ListOptions): Promise<T[]> {
  return checkedRows(await lists(listParams(doctype, options)), doctype, options.fields)
}

/** One count by the methods of Frappe's client. */
async function countAlone({ doctype, group_by, limit, ...conditions }: CountQuery): Promise<unknown> {
  const options = { verb: 'GET', failure: countFailure, priority: 'low' } as const
  if (group_by === undefined)
    return await call('frappe.client.get_count', { doctype, ...conditions, ...(limit && { limit }) }, options)
  const grouped = { ...conditions, fields: [group_by, 'count(name) as n'], group_by, order_by: 'n desc', limit: 0 }
  return await call(listMethod, listParams(doctype, grouped), options)
}
