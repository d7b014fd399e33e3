import { FrappeContext } from 'frappe-react-sdk'
import { useContext, useEffect, useEffectEvent, useRef, useSyncExternalStore } from 'react'
import { createEventBus, throttled, type EventBus, type SocketLike } from './event-bus.ts'

/**
 * Bursts of changes are drawn at most this often. A running job is written up to 4 times a second, and each redraw costs
 * a request: of the 600 a minute a person has, an open job should take a part only.
 */
const docBurstMs = 500
const listBurstMs = 1000

/** Lists that change with documents of another doctype, too: member rows say which people an organization has. */
const alsoWith: Readonly<Record<string, string>> = { User: 'Organization Member' }

const buses = new WeakMap<object, EventBus>()

/** The bus of the page's socket; null before there is one. */
export function useEventBus(): EventBus | null {
  const socket = useContext(FrappeContext)?.socket
  if (!socket) return null
  let bus = buses.get(socket)
  if (!bus) {
    bus = createEventBus(socket as unknown as SocketLike)
    buses.set(socket, bus)
  }
  return bus
}

/**
 * Calls `onChange` after saves of the document (bursts joined). Null listens to nothing. The socket comes later than the
 * first screen (frappe.tsx): what changed between counts.
 */
export function useDocEvents(doctype: string | null, name: string | null, onChange: () => void): void {
  const bus = useEventBus()
  const changed = useEffectEvent(onChange)
  const read = useRef<number | undefined>(undefined)
  useEffect(() => {
    if (!doctype || !name) return
    if (!bus) {
      read.current = Date.now()
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
  const bus = useEventBus()
  const changed = useEffectEvent(onChange)
  const read = useRef<number | undefined>(undefined)
  useEffect(() => {
    if (!doctype) return
    if (!bus) {
      read.current = Date.now()
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
  const bus = useEventBus()
  return useSyncExternalStore(bus ? bus.onConnection : never, () => bus?.connected() ?? false)
}
