import { useEffect, useState, type ReactNode } from 'react'
import { createEventBus, type EventBus, type SocketLike } from './event-bus.ts'
import { tellReconnection } from './refusal.ts'
import { openSocket } from './socket.ts'
import { BusContext } from './use-events.ts'

/** Opens the socket; everything below hears of live changes. */
export function LiveChanges({ children }: { children: ReactNode }) {
  const [bus, setBus] = useState<EventBus | null>(null)
  useEffect(() => {
    const socket = openSocket()
    let again = false
    // Not the manager's `reconnect`: that comes before the server lets the session in, which may be over.
    socket.on('connect', () => {
      if (again) tellReconnection()
      again = true
    })
    const opened = createEventBus(socket as unknown as SocketLike, {
      // The page came with the session as it was then.
      since: performance.timeOrigin,
      changed: tellReconnection,
    })
    setBus(opened)
    return () => {
      opened.close()
      socket.disconnect()
    }
  }, [])
  return <BusContext value={bus}>{children}</BusContext>
}
