import { hashKey, notifyManager, QueryClient, type Query, type QueryKey } from '@tanstack/react-query'
import { toApiError } from './api-error.ts'
import { dataTimings, isSlowConnection } from './data-timings.ts'

// In the same task: a controlled checkbox that is pressed must not fall back until the next one.
notifyManager.setScheduler(queueMicrotask)

const timings = dataTimings(isSlowConnection())

/** What the person may not see or what is gone does not come back by asking again; too many calls at once do. */
function mayPass(error: unknown): boolean {
  const status = toApiError(error).httpStatus
  return status === 0 || status === 429 || status >= 500
}

/** Everything that signed-in screens have read, by its key. A new session or organization needs a page reload. */
export const dataClient = new QueryClient({
  defaultOptions: {
    queries: {
      // Offline is said by the failure of the request (api.ts).
      networkMode: 'always',
      staleTime: timings.dedupe,
      retry: (failures, error) => failures < 3 && mayPass(error),
      retryDelay: timings.errorRetry,
      refetchOnWindowFocus: ({ state }) =>
        Date.now() - state.dataUpdatedAt >= timings.focusThrottle ? 'always' : false,
    },
  },
})

/** Key of a document. */
export const docKey = (doctype: string, name: string): QueryKey => ['doc', doctype, name]
/** Key of the lists of a doctype; with `request` of one of them. */
export const listKey = (doctype: string, ...request: unknown[]): QueryKey => ['list', doctype, ...request]
/** Key of the counts of a doctype; with `request` of one of them. */
export const countKey = (doctype: string, ...request: unknown[]): QueryKey => ['count', doctype, ...request]
/** Key of a method's result. */
export const methodKey = (method: string, params: Record<string, unknown>): QueryKey => ['method', method, params]

/** Readings again that began in this turn of the event loop: all who show a document hear of one change. */
const rereads = new Map<string, Promise<void>>()

/** Ends with the first result of a reading that is under way, also when that is a failure; later tries are not waited for. */
function firstResult(query: Query): Promise<void> {
  const isUnderWay = () => query.state.fetchStatus === 'fetching' && query.state.fetchFailureCount === 0
  return new Promise((resolve) => {
    if (!isUnderWay()) return resolve()
    const unsubscribe = dataClient.getQueryCache().subscribe(() => {
      if (isUnderWay()) return
      unsubscribe()
      resolve()
    })
  })
}

async function invalidate(which: { queryKey: QueryKey; exact?: true }): Promise<void> {
  void dataClient.invalidateQueries(which)
  await Promise.all(
    dataClient
      .getQueryCache()
      .findAll({ ...which, type: 'active' })
      .map(firstResult),
  )
}

/**
 * Reads again what has this key, also while an earlier reading is under way, whose result may be older than the change.
 * Never fails: whoever shows the data shows why it could not be read.
 */
export function reread(queryKey: QueryKey): Promise<void> {
  const hash = hashKey(queryKey)
  const running = rereads.get(hash)
  if (running) return running
  const reading = dataClient
    .cancelQueries({ queryKey, exact: true }, { silent: true })
    .then(() => invalidate({ queryKey, exact: true }))
  rereads.set(hash, reading)
  // A change that is heard of later needs a reading of its own.
  setTimeout(() => rereads.delete(hash))
  return reading
}

/** Reads again all whose key begins with this, e.g. `listKey('Site')`. Never fails, as `reread`. */
export async function rereadAll(...prefixes: readonly QueryKey[]): Promise<void> {
  await Promise.all(prefixes.map((queryKey) => invalidate({ queryKey })))
}

/** Puts what was written, or will be, in place at once without asking; an earlier answer under way does not undo it. */
export async function putData<T>(queryKey: QueryKey, data: T): Promise<void> {
  dataClient.setQueryData<T>(queryKey, data)
  await dataClient.cancelQueries({ queryKey, exact: true }, { silent: true })
  // Cancelling went back to what was there when the reading began.
  dataClient.setQueryData<T>(queryKey, data)
}
