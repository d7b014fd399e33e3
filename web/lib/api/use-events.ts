import { createContext, useContext, useEffect, useEffectEvent, useRef, useSyncExternalStore } from 'react'
import { throttled, type EventBus } from './event-bus.ts'

/**
 * Bursts of changes are drawn at most this often. A running job is written up to 4 times a second, and each redraw costs
 * a request: of the 600 a minute a person has, an open job should take a part only.
 */
const docBurstMs = 500
const listBurstMs = 1000

/** Lists that change with documents of another doctype, too: member rows say which people an organization has. */
const alsoWith: Readonly<Record<string, string>> = { User: 'Organization Member' }

/** The bus of the page's socket; null before there is one. */
export const BusContext = createContext<EventBus | null>(null)

/**
 * Calls `onChange` after saves of the document (bursts joined). Null listens to nothing. The socket comes later than the
 * first screen (live-changes.tsx), whose documents may have come with the page: what changed since that was made counts.
 */
export function useDocEvents(doctype: string | null, name: string | null, onChange: () => void): void {
  const bus = useContext(BusContext)
  const changed = useEffectEvent(onChange)
  const read = useRef<number | undefined>(undefined)
  useEffect(() => {
    if (!doctype || !name) return
    if (!bus) {
      read.current = performance.timeOrigin
      return
    }
    const burst = throttled(() => changed(), docBurstMs)
    const off = bus.onDoc(doctype, name, burst.run, read.current)
    read.current = undefined
    return () => {
      off()
      burst.cancel()
    }
  }, [bus, doctype, name])
}

/** Calls `onChange` after inserts, saves and deletions in the doctype (bursts joined). Null listens to nothing. */
export function useListEvents(doctype: string | null, onChange: () => void): void {
  const bus = useContext(BusContext)
  const changed = useEffectEvent(onChange)
  const read = useRef<number | undefined>(undefined)
  useEffect(() => {
    if (!doctype) return
    if (!bus) {
      read.current = performance.timeOrigin
      return
    }
    const burst = throttled(() => changed(), listBurstMs)
    const other = alsoWith[doctype]
    const since = read.current
    read.current = undefined
    const offs = [doctype, other].map((one) => (one === undefined ? null : bus.onList(one, burst.run, since)))
    return () => {
      for (const off of offs) off?.()
      burst.cancel()
    }
  }, [bus, doctype])
}

const never = (): (() => void) => () => undefined

/** Whether live changes arrive now. */
export function useConnected(): boolean {
  const bus = useContext(BusContext)
  return useSyncExternalStore(bus ? bus.onConnection : never, () => bus?.connected() ?? false)
}
