import { hashKey, notifyManager, QueryClient, type Query, type QueryKey } from '@tanstack/react-query'
import { toApiError } from './api-error.ts'
import { changeCount } from '../events/event-rooms.ts'
import { dataTimings, isSlowConnection } from './data-timings.ts'

// Notify in the same task, so that a controlled checkbox doesn't flip back after a click until the next task.
notifyManager.setScheduler(queueMicrotask)

const timings = dataTimings(isSlowConnection())

/** Retrying doesn't help if access is denied or the document is gone. It does help with rate limits and server errors. */
function isTemporary(error: unknown): boolean {
  const status = toApiError(error).httpStatus
  return status === 0 || status === 429 || status >= 500
}

/** Query cache of the signed-in screens. A new session or organization requires a page reload. */
export const dataClient = new QueryClient({
  defaultOptions: {
    queries: {
      // Offline shows up as a failed request (api.ts).
      networkMode: 'always',
      staleTime: timings.dedupe,
      retry: (failures, error) => failures < 3 && isTemporary(error),
      retryDelay: timings.errorRetry,
      refetchOnWindowFocus: ({ state }) =>
        state.isInvalidated || Date.now() - state.dataUpdatedAt >= timings.focusThrottle ? 'always' : false,
    },
  },
})

/** Refetches started in this turn of the event loop. Shared, because every view of a document gets the same change event. */
const rereads = new Map<string, Promise<void>>()

/** Number of reported changes when a query's last refetch began. */
const covered = new WeakMap<Query, number>()

/** Resolves with the first result of a running fetch, even a failure. Does not wait for retries. */
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
 * Refetches this key, even if an earlier fetch is running, because its result may predate the change. Never rejects: the
 * components that show the data show the error.
 */
export function refetch(queryKey: QueryKey): Promise<void> {
  const hash = hashKey(queryKey)
  const query = dataClient.getQueryCache().get(hash)
  if (query) covered.set(query, changeCount())
  const running = rereads.get(hash)
  if (running) return running
  const reading = dataClient
    .cancelQueries({ queryKey, exact: true }, { silent: true })
    .then(() => invalidate({ queryKey, exact: true }))
  rereads.set(hash, reading)
  // A later change event needs its own refetch.
  setTimeout(() => rereads.delete(hash))
  return reading
}

/**
 * Refetches this key after a change, unless a refetch has begun since: each of many views of a document hears of the change,
 * and throttles on its own clock. A hidden tab refetches once it is shown: limits are a person's, however many tabs are open.
 * Only jobs are followed in every tab, because their end is announced in each.
 */
export async function refetchIfChanged(queryKey: QueryKey): Promise<void> {
  if (document.hidden && queryKey[1] !== 'Job') {
    await dataClient.invalidateQueries({ queryKey, exact: true, refetchType: 'none' })
    return
  }
  const query = dataClient.getQueryCache().get(hashKey(queryKey))
  if (query === undefined || covered.get(query) !== changeCount()) await refetch(queryKey)
}

/**
 * Refetches all keys that start with a prefix, e.g. `listKey('Site')`. Never rejects, like `refetch`. The first fetch of a query is
 * ended for it, too: invalidating alone waits for it, and its result may predate the change.
 */
export async function refetchAll(...prefixes: readonly QueryKey[]): Promise<void> {
  await Promise.all(
    prefixes.map(async (queryKey) => {
      await dataClient.cancelQueries({ queryKey }, { silent: true })
      await invalidate({ queryKey })
    }),
  )
}

/** Writes data to the cache without a request (optimistic update or saved result). A running fetch doesn't overwrite it. */
export async function putData<T>(queryKey: QueryKey, data: T): Promise<void> {
  dataClient.setQueryData<T>(queryKey, data)
  await dataClient.cancelQueries({ queryKey, exact: true }, { silent: true })
  // Canceling restored the data from before the fetch.
  dataClient.setQueryData<T>(queryKey, data)
}
