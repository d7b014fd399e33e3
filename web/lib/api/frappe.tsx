import { useSyncExternalStore, type ReactNode } from 'react'
import useSWR, { SWRConfig, type SWRConfiguration } from 'swr'
import { toApiError, type ApiError } from './api-error.ts'
import { call, getDoc, type ListOptions } from './api.ts'
import { dataTimings, isSlowConnection } from './data-timings.ts'
import { docKey, peekFirstDoc, takeFirstDoc } from './first-docs.ts'
import { LiveChanges } from './live-changes.tsx'
import { useConnected, useDocEvents, useListEvents } from './use-events.ts'
import { listMethod, listParams } from './wire-address.ts'

/**
 * The data layer of signed-in screens: what api.ts reads, kept by SWR and live. Public pages must not import this file,
 * it brings SWR along.
 */

/** How everything is read. */
const swrConfig: SWRConfiguration = {
  ...dataTimings(isSlowConnection()),
  errorRetryCount: 3,
  // What the person may not see or what is gone does not come back by asking again; too many calls at once do.
  shouldRetryOnError: (error: unknown) => {
    const status = toApiError(error).httpStatus
    return status === 0 || status === 429 || status >= 500
  },
}

/** How often is asked while no live changes arrive. */
const pollMs = 5000

/** Cache and live changes for the signed-in screens. A new session or organization needs a page reload. */
export function FrappeProvider({ children }: { children: ReactNode }) {
  return (
    <SWRConfig value={swrConfig}>
      <LiveChanges>{children}</LiveChanges>
    </SWRConfig>
  )
}

/** What the hooks below give. `data` stays while it is read again; `loadedAt` says how old it is (ms since epoch). */
export interface Loaded<T> {
  data: T | undefined
  error: ApiError | null
  /** First load, nothing to show yet. */
  isLoading: boolean
  /** That takes longer than the patience of specification section 9; for people to be told (`StillLoading`). */
  isSlow: boolean
  /** Any request under way. */
  isValidating: boolean
  loadedAt: number | null
  /** Reads again, or puts `data` in place at once (optimistic) without asking. */
  reload: (data?: T) => Promise<void>
}

// When each key was last read: beside the cache, so that an unchanged answer keeps its identity and draws nothing anew.
const loadedTimes = new Map<string, number>()
/** Keys whose first reading takes long; beside the cache, too, as one hook of a key asks for all of them. */
const slowKeys = new Set<string>()
/**
 * How many readings of each key are under way. SWR calls one slow that another overtook, even when both have ended, because it
 * never learns of the end of the first.
 */
const underWay = new Map<string, number>()
const loadedListeners = new Set<() => void>()
function subscribeLoaded(listener: () => void): () => void {
  loadedListeners.add(listener)
  return () => loadedListeners.delete(listener)
}

function tellLoaded(): void {
  for (const listener of loadedListeners) listener()
}

/** Readings again that began in this turn of the event loop, by their keys: all who show a document hear of one change. */
const again = new Map<string, Promise<unknown>>()

function readAgain(key: string, read: () => Promise<unknown>): Promise<unknown> {
  const running = again.get(key)
  if (running) return running
  const reading = read()
  again.set(key, reading)
  // A change that is heard of later needs a reading of its own.
  setTimeout(() => again.delete(key))
  return reading
}

/** Reads `fetcher` under `key`, polls while the socket is down. Null key: nothing is read. */
export function useLoaded<T>(key: string | null, fetcher: () => Promise<T>, config?: SWRConfiguration): Loaded<T> {
  const connected = useConnected()
  const timed = async (): Promise<T> => {
    if (key) underWay.set(key, (underWay.get(key) ?? 0) + 1)
    try {
      const result = await fetcher()
      if (key) loadedTimes.set(key, Date.now())
      return result
    } finally {
      if (key) {
        const left = (underWay.get(key) ?? 1) - 1
        if (left > 0) underWay.set(key, left)
        else underWay.delete(key)
        slowKeys.delete(key)
      }
      tellLoaded()
    }
  }
  const { data, error, isLoading, isValidating, mutate } = useSWR<T, unknown>(key, timed, {
    refreshInterval: connected ? 0 : pollMs,
    onLoadingSlow: (slow) => {
      if (!underWay.get(slow)) return
      slowKeys.add(slow)
      tellLoaded()
    },
    ...config,
  })
  const loadedAt = useSyncExternalStore(subscribeLoaded, () => (key ? (loadedTimes.get(key) ?? null) : null))
  const isSlow = useSyncExternalStore(subscribeLoaded, () => key !== null && slowKeys.has(key))
  return {
    data,
    error: error ? toApiError(error) : null,
    isLoading,
    isSlow,
    isValidating,
    loadedAt,
    reload: async (next) => {
      if (next === undefined) await (key === null ? undefined : readAgain(key, () => mutate()))
      else await mutate(next, { revalidate: false })
    },
  }
}

/** One document, live; one that came with the page is there at once. Null name: nothing is read. */
export function useDoc<T>(doctype: string, name: string | null | undefined): Loaded<T> {
  const first = name ? peekFirstDoc<T>(doctype, name) : undefined
  const loaded = useLoaded<T>(
    name ? docKey(doctype, name) : null,
    async () => takeFirstDoc<T>(doctype, name ?? '') ?? (await getDoc<T>(doctype, name ?? '')),
    first === undefined ? undefined : { fallbackData: first },
  )
  useDocEvents(name ? doctype : null, name ?? null, () => void loaded.reload())
  return loaded
}

/** How many documents a list has, once. Throws `ApiError`. */
async function readCount(
  params: Pick<ListOptions, 'filters' | 'or_filters'> & { doctype: string | null },
): Promise<number> {
  const failure = 'There was an error while getting the count.'
  return await call('frappe.client.get_count', params, { verb: 'GET', failure })
}

/** How many documents a list has, live. */
export function useCount(
  doctype: string | null,
  options: Pick<ListOptions, 'filters' | 'or_filters'> = {},
): Loaded<number> {
  const params = { doctype, filters: options.filters ?? [], or_filters: options.or_filters ?? [] }
  const loaded = useLoaded<number>(doctype ? `count ${JSON.stringify(params)}` : null, () => readCount(params))
  useListEvents(doctype, () => void loaded.reload())
  return loaded
}

/** Rows of a list, once: at most 500 (`limit` 0). Throws `ApiError`. */
export async function readList<T>(doctype: string, options: ListOptions): Promise<T[]> {
  const failure = 'There was an error while fetching the documents.'
  const rows = await call<T[] | undefined>(listMethod, listParams(doctype, options), { verb: 'GET', failure })
  return rows ?? []
}

/** Rows of a list, live. `keepPrevious` shows the old rows while a new page or filter loads. Null: nothing is read. */
export function useList<T>(
  doctype: string | null,
  options: ListOptions = {},
  { keepPrevious = true, ...config }: SWRConfiguration & { keepPrevious?: boolean } = {},
): Loaded<T[]> {
  const loaded = useLoaded<T[]>(
    doctype ? `list ${doctype} ${JSON.stringify(options)}` : null,
    () => readList<T>(doctype ?? '', options),
    { keepPreviousData: keepPrevious, ...config },
  )
  useListEvents(doctype, () => void loaded.reload())
  return loaded
}

/** Key of a method's result in the cache, to have it read again from elsewhere. */
export function methodKey(method: string, params: Record<string, unknown>): string {
  return `method ${method} ${JSON.stringify(params)}`
}

/** Result of a reading method under its own cache key. */
export function useMethod<T>(
  method: string | null,
  params: Record<string, unknown> = {},
  { verb = 'GET', ...config }: SWRConfiguration & { verb?: 'GET' | 'POST' } = {},
): Loaded<T> {
  return useLoaded<T>(method ? methodKey(method, params) : null, () => call<T>(method ?? '', params, { verb }), config)
}
