import {
  hashKey,
  keepPreviousData,
  QueryClientProvider,
  useQuery,
  type Query,
  type QueryKey,
} from '@tanstack/react-query'
import { useEffect, useState, type ReactNode } from 'react'
import type { Doc, Doctype } from '#shared/doctype.ts'
import type { DoctypeName, DocumentOf } from '#shared/doctypes/registry.ts'
import { toApiError, type ApiError } from './api-error.ts'
import { call, getDoc, type ListOptions } from './api.ts'
import { readCount, readList, readSmallList } from './batched-reads.ts'
import {
  checkedCount,
  checkedDoc,
  checkedGroups,
  checkedResult,
  checkedRows,
  type Checkable,
} from './checked-response.ts'
import { dataClient, putData, refetch, refetchIfChanged } from './data-client.ts'
import { countKey, countRequest, groupedRequest, docKey, listKey, methodKey, type CountOptions } from './data-keys.ts'
import { dataTimings, isSlowConnection } from './data-timings.ts'
import { takeInitialDoc } from './initial-docs.ts'
import type { ListField, RowOf, SelectedRow } from './list-rows.ts'
import { LiveChanges } from '../events/live-changes.tsx'
import { countCap } from '../i18n/number-format.ts'
import { joinEarlyRead, takeEarlyRead } from './early-reads.ts'
import { useConnected, useDocEvents, useListEvents } from '../events/use-events.ts'

/**
 * Data hooks of the signed-in screens: reads through api.ts, cached by TanStack Query and updated live. Public pages must
 * not import this file, because it pulls in the library.
 */

/** Polling interval while no live changes arrive. */
const pollMs = 5000
const { loadingTimeout } = dataTimings(isSlowConnection())

/** Provides the cache and live changes to signed-in screens. A new session or organization requires a page reload. */
export function FrappeProvider({ children }: { children: ReactNode }) {
  return (
    <QueryClientProvider client={dataClient}>
      <LiveChanges>{children}</LiveChanges>
    </QueryClientProvider>
  )
}

/** Options of a read. */
export interface ReadOptions {
  /** Keeps showing the old data while a new key loads. */
  keepPrevious?: boolean
  /** Set to false to skip the refetch on window focus. */
  revalidateOnFocus?: false
  /** Refetch interval in ms, even while live changes arrive. */
  refreshInterval?: number
  /** How long (ms) what was read is shown again without a new read, as by rows that come back into view. */
  freshMs?: number
  /** `low`: the browser sends it after what the screen needs. Counts always are. */
  priority?: 'low'
}

/** Result of the hooks below. `data` stays during a refetch; `loadedAt` is when it was loaded (ms since epoch). */
export interface Loaded<T> {
  data: T | undefined
  error: ApiError | null
  /** Initial load with no data yet. */
  isLoading: boolean
  /** The initial load exceeds the limit of docs/contracts/screens.md, section 9, so show `StillLoading`. */
  isSlow: boolean
  /** A request is in flight. */
  isValidating: boolean
  loadedAt: number | null
  /** Refetches, or writes `data` to the cache without a request (optimistic update). */
  reload: (data?: T) => Promise<void>
}

/**
 * Last error by query, so that it stays visible during retries. Not by key: what the cache has dropped, at the end of a
 * session for example, must not show to the next reader of the same key.
 */
const failures = new WeakMap<Query, unknown>()
/** The query of a key as long as the cache has it. */
const cached = (key: QueryKey) => dataClient.getQueryCache().get(hashKey(key))

/** Whether `going` has been true for longer than `loadingTimeout`. */
function useSlow(going: boolean): boolean {
  const [slow, setSlow] = useState(false)
  useEffect(() => {
    if (!going) return
    const timer = setTimeout(() => setSlow(true), loadingTimeout)
    return () => {
      clearTimeout(timer)
      setSlow(false)
    }
  }, [going])
  return going && slow
}

/** Runs `fetcher` under `key` and polls while the socket is down. A null key fetches nothing. */
export function useLoaded<T>(
  key: QueryKey | null,
  fetcher: () => Promise<T>,
  { keepPrevious = false, revalidateOnFocus, refreshInterval, freshMs }: ReadOptions = {},
  initialData?: () => T | undefined,
): Loaded<T> {
  const connected = useConnected()
  const query = useQuery<T>(
    {
      queryKey: key ?? ['nothing'],
      enabled: key !== null,
      queryFn: async ({ queryKey }) => {
        const reading = cached(queryKey)
        try {
          const data = await fetcher()
          if (reading) failures.delete(reading)
          return data
        } catch (error) {
          if (reading) failures.set(reading, error)
          throw error
        }
      },
      refetchInterval: refreshInterval ?? (connected ? false : pollMs),
      ...(revalidateOnFocus === false && { refetchOnWindowFocus: false }),
      ...(freshMs !== undefined && { staleTime: freshMs }),
      ...(keepPrevious && { placeholderData: keepPreviousData }),
      ...(initialData && { initialData }),
    },
    dataClient,
  )
  const known = key === null ? undefined : cached(key)
  const error = key === null ? null : (query.failureReason ?? query.error ?? (known && failures.get(known)) ?? null)
  // Nothing is in flight between two retries.
  const isValidating = query.isFetching && query.failureCount === 0
  const isLoading = isValidating && (query.data === undefined || query.isPlaceholderData)
  return {
    data: query.data,
    error: error === null ? null : toApiError(error),
    isLoading,
    isSlow: useSlow(isLoading),
    isValidating,
    loadedAt: query.isPlaceholderData || query.dataUpdatedAt === 0 ? null : query.dataUpdatedAt,
    reload: async (next) => {
      if (key === null) return
      await (next === undefined ? refetch(key) : putData(key, next))
    },
  }
}

/**
 * Like `useLoaded`, for what may have been read before the code was here (early-reads.ts). `checked` throws unless a response is
 * what it should be; `read` resolves with one that is.
 */
function useEarly<T>(
  key: QueryKey | null,
  checked: (response: unknown) => T,
  read: () => Promise<T>,
  options: ReadOptions = {},
): Loaded<T> {
  const fetcher = async () => {
    const response = key === null ? undefined : await joinEarlyRead(key)
    return response === undefined ? await read() : checked(response)
  }
  return useLoaded(key, fetcher, options, () => {
    const response = key === null ? undefined : takeEarlyRead(key)
    try {
      return response === undefined ? undefined : checked(response)
    } catch {
      // The page's own request shows why.
      return undefined
    }
  })
}

/** One document, live. A preloaded document is available immediately. A null name fetches nothing. */
export function useDoc<D extends DoctypeName>(doctype: D, name: string | null | undefined): Loaded<DocumentOf<D>> {
  const key = name ? docKey(doctype, name) : null
  const loaded = useLoaded<DocumentOf<D>>(
    key,
    async () => checkedDoc<DocumentOf<D>>(doctype, await getDoc(doctype, name ?? '')),
    {},
    () => (name ? takeInitialDoc<DocumentOf<D>>(doctype, name) : undefined),
  )
  useDocEvents(name ? doctype : null, name ?? null, () => void (key && refetchIfChanged(key)))
  return loaded
}

/**
 * Number of documents in a list, live. Counting stops above `countCap`, and the number is then `Infinity`, which is written
 * as "1,000+". `exact` counts all, which takes as long as reading them: only for a number that decides about something, or
 * on request.
 */
export function useCount(doctype: string | null, options: CountOptions = {}): Loaded<number> {
  const params = countRequest(options)
  const key = doctype ? countKey(doctype, params) : null
  const checked = (given: unknown) => {
    const count = checkedCount(given)
    return !options.exact && count > countCap ? Infinity : count
  }
  const loaded = useEarly(key, checked, async () => checked(await readCount({ doctype: doctype ?? '', ...params })))
  useListEvents(doctype, () => void (key && refetchIfChanged(key)))
  return loaded
}

/** Number of documents for each value of a field, highest first, live. Identical counts on a page share one request. */
export function useGroupedCount<Field extends string>(
  doctype: string | null,
  field: Field,
  { filters = [] }: Pick<ListOptions, 'filters'> = {},
): Loaded<({ readonly n: number } & Readonly<Record<Field, unknown>>)[]> {
  const params = groupedRequest(filters, field)
  const key = doctype ? countKey(doctype, params) : null
  const loaded = useEarly<({ n: number } & Record<Field, unknown>)[]>(key, checkedGroups, async () =>
    checkedGroups(await readCount({ doctype: doctype ?? '', ...params })),
  )
  useListEvents(doctype, () => void (key && refetchIfChanged(key)))
  return loaded
}

/** Rows of a small list, live. Small lists requested together share one call (`readSmallList`). Null fetches nothing. */
export function useSmallList<D extends DoctypeName, const F extends ListField<D> = 'name'>(
  doctype: D | null,
  options: ListOptions<F>,
): Loaded<SelectedRow<D, F>[]> {
  const key = doctype ? listKey(doctype, options) : null
  const loaded = useEarly(
    key,
    (rows) => checkedRows<SelectedRow<D, F>>(rows, doctype ?? '', options.fields),
    () => readSmallList<SelectedRow<D, F>>(doctype ?? '', options),
  )
  useListEvents(doctype, () => void (key && refetchIfChanged(key)))
  return loaded
}

function useRows<Row>(
  doctype: string | null,
  options: ListOptions,
  { keepPrevious = true, ...config }: ReadOptions,
): Loaded<Row[]> {
  const key = doctype ? listKey(doctype, options) : null
  const loaded = useEarly(
    key,
    (rows) => checkedRows<Row>(rows, doctype ?? '', options.fields),
    () => readList<Row>(doctype ?? '', options, config.priority),
    { keepPrevious, ...config },
  )
  useListEvents(doctype, () => void (key && refetchIfChanged(key)))
  return loaded
}

/** Rows of a list, live. The old rows stay while a new page or filter loads. Null fetches nothing. */
export function useList<D extends DoctypeName, const F extends ListField<D> = 'name'>(
  doctype: D | null,
  options: ListOptions<F> = {},
  config: ReadOptions = {},
): Loaded<SelectedRow<D, F>[]> {
  return useRows(doctype, options, config)
}

/** Like `useList`, for fields that are only known at runtime. */
export function useDynamicList<D extends Doctype>(
  type: D | null,
  options: ListOptions = {},
  config: ReadOptions = {},
): Loaded<RowOf<Doc<D>>[]> {
  return useRows(type?.name ?? null, options, config)
}

/** Result of a read method under its own cache key, as its schema `returns` describes it; any other response is an error. */
export function useMethod<T>(
  method: string | null,
  params: Record<string, unknown>,
  { verb = 'GET', returns, ...config }: ReadOptions & { verb?: 'GET' | 'POST'; returns: Checkable<T> },
): Loaded<T> {
  const key = method ? methodKey(method, params) : null
  const checked = (result: unknown) => checkedResult(returns, result)
  return useEarly(key, checked, async () => checked(await call(method ?? '', params, { verb })), config)
}
