import { createContext, useContext, useEffect, useEffectEvent, useRef, useSyncExternalStore } from 'react'
import { throttled, type EventBus } from './event-bus.ts'

/**
 * Minimum interval between updates during bursts of changes. A running job is saved up to 4 times a second and each update
 * costs a request; an open job should use only part of the 600 requests a minute that a user has.
 */
const docBurstMs = 500
const listBurstMs = 1000

/** Lists that also change with documents of another doctype: member rows show which users an organization has. */
const relatedDoctypes: Readonly<Record<string, string>> = { User: 'Organization Member' }

/** The page's event bus; null until the socket is open. */
export const BusContext = createContext<EventBus | null>(null)

/**
 * Calls `onChange` after saves of the document, throttled. Null subscribes to nothing. The socket opens after the first
 * screen (live-changes.tsx), whose documents may be preloaded, so changes since the page was generated count too.
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

/** Calls `onChange` after inserts, saves and deletes in the doctype, throttled. Null subscribes to nothing. */
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
    const other = relatedDoctypes[doctype]
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
