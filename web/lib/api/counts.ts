import { call, type ListOptions } from './api.ts'
import { listMethod, listParams, methodAddress } from './wire-address.ts'

/** What is counted; `group_by` counts for each value of a field. */
export interface CountQuery extends Pick<ListOptions, 'filters' | 'or_filters'> {
  readonly doctype: string
  readonly group_by?: string
}

interface Waiting {
  readonly query: CountQuery
  resolve: (count: unknown) => void
  reject: (error: unknown) => void
}

const batchMethod = 'easydash.api.documents.get_counts'
/** Limits of one call: what the server accepts, and a URL that every proxy accepts. */
const maxCounts = 40
const longestAddress = 4000

/** Counts requested in this turn of the event loop. */
let waiting: Waiting[] = []

/**
 * Counts once: a number, or with `group_by` rows as of a list. Counts requested together share one call: on slow networks a
 * screen's dozen counts would take as many round trips. Throws `ApiError`.
 */
export function readCount<T>(query: CountQuery): Promise<T> {
  return new Promise<unknown>((resolve, reject) => {
    if (waiting.push({ query, resolve, reject }) === 1) setTimeout(flush)
  }) as Promise<T>
}

function flush(): void {
  const all = waiting
  waiting = []
  while (all.length > 0) {
    let size = Math.min(all.length, maxCounts)
    while (size > 1 && address(all.slice(0, size)).length > longestAddress) size = Math.ceil(size / 2)
    void send(all.splice(0, size))
  }
}

const queriesOf = (batch: readonly Waiting[]) => ({ queries: batch.map(({ query }) => query) })
const address = (batch: readonly Waiting[]): string => methodAddress(batchMethod, queriesOf(batch))

async function send(batch: readonly Waiting[]): Promise<void> {
  const [only] = batch
  if (only && batch.length === 1) return settle(only, alone(only.query))
  try {
    const counts = await call<readonly unknown[]>(batchMethod, queriesOf(batch), {
      verb: 'GET',
      failure: 'There was an error while getting the count.',
      priority: 'low',
    })
    // A refused count is requested again alone, because only that response has the reason.
    batch.forEach((one, at) => void settle(one, counts[at] ?? alone(one.query)))
  } catch (error) {
    for (const { reject } of batch) reject(error)
  }
}

async function settle({ resolve, reject }: Waiting, count: unknown): Promise<void> {
  try {
    resolve(await count)
  } catch (error) {
    reject(error)
  }
}

/** One count by the methods of Frappe's client. */
async function alone({ doctype, group_by, ...conditions }: CountQuery): Promise<unknown> {
  const failure = 'There was an error while getting the count.'
  if (group_by === undefined)
    return await call('frappe.client.get_count', { doctype, ...conditions }, { verb: 'GET', failure, priority: 'low' })
  const fields = [group_by, 'count(name) as n']
  const options = { ...conditions, fields, group_by, order_by: 'n desc', limit: 0 }
  return await call(listMethod, listParams(doctype, options), { verb: 'GET', failure, priority: 'low' })
}
