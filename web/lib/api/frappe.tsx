import { hashKey, keepPreviousData, QueryClientProvider, useQuery, type QueryKey } from '@tanstack/react-query'
import { useEffect, useState, type ReactNode } from 'react'
import { toApiError, type ApiError } from './api-error.ts'
import { call, getDoc, type ListOptions } from './api.ts'
import { countKey, dataClient, docKey, listKey, methodKey, putData, reread } from './data-client.ts'
import { dataTimings, isSlowConnection } from './data-timings.ts'
import { takeFirstDoc } from './first-docs.ts'
import { LiveChanges } from './live-changes.tsx'
import { useConnected, useDocEvents, useListEvents } from './use-events.ts'
import { listMethod, listParams } from './wire-address.ts'

/**
 * The data layer of signed-in screens: what api.ts reads, kept by TanStack Query and live. Public pages must not import
 * this file, it brings the library along.
 */

/** How often is asked while no live changes arrive. */
const pollMs = 5000
const { loadingTimeout } = dataTimings(isSlowConnection())

/** Cache and live changes for the signed-in screens. A new session or organization needs a page reload. */
export function FrappeProvider({ children }: { children: ReactNode }) {
  return (
    <QueryClientProvider client={dataClient}>
      <LiveChanges>{children}</LiveChanges>
    </QueryClientProvider>
  )
}

/** How something is read, where it differs from the rest. */
export interface ReadOptions {
  /** Shows the old data while a new key loads. */
  keepPrevious?: boolean
  /** Not read again when the window comes to the front. */
  revalidateOnFocus?: false
  /** Read again this often (ms), also while live changes arrive. */
  refreshInterval?: number
}

/** What the hooks below give. `data` stays while it is read again; `loadedAt` says how old it is (ms since epoch). */
export interface Loaded<T> {
  data: T | undefined
  error: ApiError | null
  /** First load, nothing to show yet. */
  isLoading: boolean
  /** That takes longer than docs/contracts/screens.md, section 9 allows without a word; for people to be told (`StillLoading`). */
  isSlow: boolean
  /** Any request under way. */
  isValidating: boolean
  loadedAt: number | null
  /** Reads again, or puts `data` in place at once (optimistic) without asking. */
  reload: (data?: T) => Promise<void>
}

/** Why each key could not be read the last time: it stays in sight while it is tried again. */
const failures = new Map<string, unknown>()

/** Whether something has been going on for longer than people are left without a word. */
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

/** Reads `fetcher` under `key`, polls while the socket is down. Null key: nothing is read. */
export function useLoaded<T>(
  key: QueryKey | null,
  fetcher: () => Promise<T>,
  { keepPrevious = false, revalidateOnFocus, refreshInterval }: ReadOptions = {},
  initialData?: () => T | undefined,
): Loaded<T> {
  const connected = useConnected()
  const hash = key === null ? null : hashKey(key)
  const query = useQuery<T>(
    {
      queryKey: key ?? ['nothing'],
      enabled: key !== null,
      queryFn: async () => {
        try {
          const data = await fetcher()
          if (hash !== null) failures.delete(hash)
          return data
        } catch (error) {
          if (hash !== null) failures.set(hash, error)
          throw error
        }
      },
      refetchInterval: refreshInterval ?? (connected ? false : pollMs),
      ...(revalidateOnFocus === false && { refetchOnWindowFocus: false }),
      ...(keepPrevious && { placeholderData: keepPreviousData }),
      ...(initialData && { initialData }),
    },
    dataClient,
  )
  const error = key === null ? null : (query.failureReason ?? query.error ?? failures.get(hash ?? '') ?? null)
  // Between two tries after a failure nothing is under way.
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
      await (next === undefined ? reread(key) : putData(key, next))
    },
  }
}

/** One document, live; one that came with the page is there at once. Null name: nothing is read. */
export function useDoc<T>(doctype: string, name: string | null | undefined): Loaded<T> {
  const loaded = useLoaded<T>(
    name ? docKey(doctype, name) : null,
    () => getDoc<T>(doctype, name ?? ''),
    {},
    () => (name ? takeFirstDoc<T>(doctype, name) : undefined),
  )
  useDocEvents(name ? doctype : null, name ?? null, () => void loaded.reload())
  return loaded
}

/** How many documents a list has, once. Throws `ApiError`. */
async function readCount(doctype: string, params: Pick<ListOptions, 'filters' | 'or_filters'>): Promise<number> {
  const failure = 'There was an error while getting the count.'
  return await call('frappe.client.get_count', { doctype, ...params }, { verb: 'GET', failure })
}

/** How many documents a list has, live. */
export function useCount(
  doctype: string | null,
  { filters = [], or_filters = [] }: Pick<ListOptions, 'filters' | 'or_filters'> = {},
): Loaded<number> {
  const params = { filters, or_filters }
  const loaded = useLoaded<number>(doctype ? countKey(doctype, params) : null, () => readCount(doctype ?? '', params))
  useListEvents(doctype, () => void loaded.reload())
  return loaded
}

/** Rows of a list, once: at most 500 (`limit` 0). Throws `ApiError`. */
export async function readList<T>(doctype: string, options: ListOptions): Promise<T[]> {
  const failure = 'There was an error while fetching the documents.'
  const rows = await call<T[] | undefined>(listMethod, listParams(doctype, options), { verb: 'GET', failure })
  return rows ?? []
}

/** Rows of a list, live; the old rows stay while a new page or filter loads. Null: nothing is read. */
export function useList<T>(
  doctype: string | null,
  options: ListOptions = {},
  { keepPrevious = true, ...config }: ReadOptions = {},
): Loaded<T[]> {
  const loaded = useLoaded<T[]>(doctype ? listKey(doctype, options) : null, () => readList<T>(doctype ?? '', options), {
    keepPrevious,
    ...config,
  })
  useListEvents(doctype, () => void loaded.reload())
  return loaded
}

/** Result of a reading method under its own cache key. */
export function useMethod<T>(
  method: string | null,
  params: Record<string, unknown> = {},
  { verb = 'GET', ...config }: ReadOptions & { verb?: 'GET' | 'POST' } = {},
): Loaded<T> {
  return useLoaded<T>(method ? methodKey(method, params) : null, () => call<T>(method ?? '', params, { verb }), config)
}
