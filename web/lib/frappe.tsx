import {
  FrappeContext,
  FrappeProvider as SdkProvider,
  useSWR,
  type FrappeConfig,
  type SWRConfiguration,
} from 'frappe-react-sdk'
import { useContext, useEffect, useMemo, useState, useSyncExternalStore, type ReactNode } from 'react'
import { ApiError, toApiError, unreadableMessage } from './api-error.ts'
import { call as post, type ListOptions } from './api.ts'
import { described } from './catalogue.ts'
import { dataTimings, isSlowConnection } from './data-timings.ts'
import { peekFirstDoc, takeFirstDoc } from './first-docs.ts'
import { withinPatience } from './patience.ts'
import { tellReconnection, tellRefusal } from './refusal.ts'
import { useSecondLine } from './second-line.ts'
import { useConnected, useDocEvents, useListEvents } from './use-events.ts'

/**
 * The data layer of signed-in screens: frappe-react-sdk behind our own hooks (traps: frappe-wire.md section 11).
 * Public pages must not import this file, it brings SWR, axios and socket.io along.
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
  onError: (error: unknown) => tellRefusal(toApiError(error)),
}

/** How often is asked while no live changes arrive. */
const pollMs = 5000

// Props keep their identity: a new one would build a second client and leave the old socket open.
const socketPort = location.port || undefined
const siteName = location.hostname

/** SDK client, socket and cache for the signed-in screens. A new session or organization needs a page reload. */
export function FrappeProvider({ children }: { children: ReactNode }) {
  return (
    <SdkProvider siteName={siteName} swrConfig={swrConfig} enableSocket={false}>
      <SocketInSecondLine>{children}</SocketInSecondLine>
    </SdkProvider>
  )
}

type Socket = NonNullable<FrappeConfig['socket']>

/**
 * Opens the socket when the first page stands, whose requests it would hold up; then everything below has it. By a
 * provider of its own: the SDK's opens the socket while it renders, and a provider that has a screen inside is rendered
 * more than once when the screen's code is still on its way, each time with an open socket left behind.
 */
function SocketInSecondLine({ children }: { children: ReactNode }) {
  const client = useContext(FrappeContext)
  const turn = useSecondLine()
  const [socket, setSocket] = useState<Socket | null>(null)
  const value = useMemo(() => client && { ...client, ...(socket && { socket }) }, [client, socket])
  return (
    <>
      {turn && (
        <SdkProvider {...(socketPort && { socketPort })} siteName={siteName}>
          <GiveSocket to={setSocket} />
        </SdkProvider>
      )}
      <FrappeContext value={value}>{children}</FrappeContext>
    </>
  )
}

function GiveSocket({ to }: { to: (socket: Socket | null) => void }) {
  const socket = useContext(FrappeContext)?.socket ?? null
  useEffect(() => {
    to(socket)
    if (!socket) return
    let again = socket.connected
    // Not the manager's `reconnect`: that comes before the server lets the session in, which may be over.
    const connected = (): void => {
      if (again) tellReconnection()
      again = true
    }
    socket.on('connect', connected)
    return () => void socket.off('connect', connected)
  }, [socket, to])
  return null
}

/**
 * The part of the SDK's client that we use: it reads. What changes something, and every other POST, goes by `api.ts`, which
 * takes a new token where the person logged in again elsewhere.
 */
export type ReadingClient = Pick<FrappeConfig['call'], 'get'>

/** The SDK's client, for reading outside the hooks. */
export function useClient(): { readonly db: Pick<FrappeConfig['db'], 'getDoc'>; readonly call: ReadingClient } {
  const client = useContext(FrappeContext)
  if (!client) throw new Error('useClient needs a FrappeProvider above it')
  return client
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
const loadedListeners = new Set<() => void>()
function subscribeLoaded(listener: () => void): () => void {
  loadedListeners.add(listener)
  return () => loadedListeners.delete(listener)
}

function tellLoaded(): void {
  for (const listener of loadedListeners) listener()
}

/** Reads `fetcher` under `key`, polls while the socket is down. Null key: nothing is read. */
export function useLoaded<T>(key: string | null, fetcher: () => Promise<T>, config?: SWRConfiguration): Loaded<T> {
  const connected = useConnected()
  const timed = async (): Promise<T> => {
    try {
      const result = await withinPatience(fetcher())
      if (key) loadedTimes.set(key, Date.now())
      return result
    } finally {
      if (key) slowKeys.delete(key)
      tellLoaded()
    }
  }
  const { data, error, isLoading, isValidating, mutate } = useSWR<T, unknown>(key, timed, {
    refreshInterval: connected ? 0 : pollMs,
    onLoadingSlow: (slow) => {
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
      if (next === undefined) await mutate()
      else await mutate(next, { revalidate: false })
    },
  }
}

/** The SDK's words for a call whose answer says nothing. */
const unsaid = 'There was an error.'

/** The answer of the server. @throws ApiError when it is none: a proxy's page, half an answer */
export function readable<T>(answer: T): T {
  if (typeof answer !== 'object' || answer === null) throw new ApiError(unreadableMessage)
  return answer
}

/** Waits for a call that reads documents: where its answer says nothing, `failure` does (specification section 8). */
export async function telling<T>(failure: string, request: Promise<T>): Promise<T> {
  try {
    return await request
  } catch (thrown) {
    const error = toApiError(thrown)
    throw error.message === unsaid ? new ApiError(described(failure), error) : error
  }
}

/** SWR key of a document, for optimistic writes from elsewhere. */
export function docKey(doctype: string, name: string): string {
  return `doc ${doctype} ${name}`
}

/** One document, live; one that came with the page is there at once. Null name: nothing is read. */
export function useDoc<T>(doctype: string, name: string | null | undefined): Loaded<T> {
  const { db } = useClient()
  const first = name ? peekFirstDoc<T>(doctype, name) : undefined
  const loaded = useLoaded<T>(
    name ? docKey(doctype, name) : null,
    async () => takeFirstDoc<T>(doctype, name ?? '') ?? readable((await db.getDoc<T>(doctype, name ?? '')) as T),
    first === undefined ? undefined : { fallbackData: first },
  )
  useDocEvents(name ? doctype : null, name ?? null, () => void loaded.reload())
  return loaded
}

/** How many documents a list has, live. */
export function useCount(
  doctype: string | null,
  options: Pick<ListOptions, 'filters' | 'or_filters'> = {},
): Loaded<number> {
  const { call } = useClient()
  const params = { doctype, filters: options.filters ?? [], or_filters: options.or_filters ?? [] }
  const loaded = useLoaded<number>(doctype ? `count ${JSON.stringify(params)}` : null, async () => {
    // Lists as JSON text: the SDK would join nested arrays to something else.
    const answer = await telling(
      'There was an error while getting the count.',
      call.get<{ message: number }>('frappe.client.get_count', {
        doctype,
        filters: JSON.stringify(params.filters),
        or_filters: JSON.stringify(params.or_filters),
      }),
    )
    return readable(answer).message
  })
  useListEvents(doctype, () => void loaded.reload())
  return loaded
}

/** Rows of a list, once: at most 500 (`limit` 0). Throws what the request throws. */
export async function readList<T>(call: ReadingClient, doctype: string, options: ListOptions): Promise<T[]> {
  const answer = await call.get<{ message: T[] | undefined }>('frappe.client.get_list', {
    doctype,
    fields: JSON.stringify(options.fields ?? ['name']),
    ...(options.filters?.length && { filters: JSON.stringify(options.filters) }),
    ...(options.or_filters?.length && { or_filters: JSON.stringify(options.or_filters) }),
    ...(options.order_by && { order_by: options.order_by }),
    ...(options.group_by && { group_by: options.group_by }),
    limit_start: options.start ?? 0,
    limit_page_length: options.limit ?? 20,
  })
  return readable(answer).message ?? []
}

/** Rows of a list, live. `keepPrevious` shows the old rows while a new page or filter loads. Null: nothing is read. */
export function useList<T>(
  doctype: string | null,
  options: ListOptions = {},
  { keepPrevious = true, ...config }: SWRConfiguration & { keepPrevious?: boolean } = {},
): Loaded<T[]> {
  const { call } = useClient()
  const loaded = useLoaded<T[]>(
    doctype ? `list ${doctype} ${JSON.stringify(options)}` : null,
    () => telling('There was an error while fetching the documents.', readList<T>(call, doctype ?? '', options)),
    { keepPreviousData: keepPrevious, ...config },
  )
  useListEvents(doctype, () => void loaded.reload())
  return loaded
}

/** SWR key of a method's result, to have it read again from elsewhere. */
export function methodKey(method: string, params: Record<string, unknown>): string {
  return `method ${method} ${JSON.stringify(params)}`
}

/** Result of a reading method under its own cache key. `params` are sent as they are (objects as JSON text). */
export function useMethod<T>(
  method: string | null,
  params: Record<string, unknown> = {},
  { verb = 'GET', ...config }: SWRConfiguration & { verb?: 'GET' | 'POST' } = {},
): Loaded<T> {
  const { call } = useClient()
  return useLoaded<T>(
    method ? methodKey(method, params) : null,
    async () => {
      if (verb === 'POST') return await post<T>(method ?? '', params)
      return readable(await call.get<{ message: T }>(method ?? '', params)).message
    },
    config,
  )
}
