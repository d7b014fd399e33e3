import { useEffect, useState, type ReactNode } from 'react'
import { createEventBus, type EventBus, type SocketLike } from './event-bus.ts'
import { reportReconnection } from './session-invalidation.ts'
import { BusContext } from './use-events.ts'

/** Opens the socket; everything below hears of live changes. Its code is not waited for: until then everything is polled. */
export function LiveChanges({ children }: { children: ReactNode }) {
  const [bus, setBus] = useState<EventBus | null>(null)
  useEffect(() => {
    let ended = false
    let end = (): void => undefined
    const open = async (): Promise<void> => {
      const { openSocket } = await import('./socket.ts')
      if (ended) return
      const socket = openSocket()
      let again = false
      // Not the manager's `reconnect`: that comes before the server lets the session in, which may be over.
      socket.on('connect', () => {
        if (again) reportReconnection()
        again = true
      })
      const opened = createEventBus(socket as unknown as SocketLike, {
        // The page came with the session as it was then.
        since: performance.timeOrigin,
        changed: reportReconnection,
      })
      end = () => {
        opened.close()
        socket.disconnect()
      }
      setBus(opened)
    }
    // What could not be loaded is polled for, as when the socket is down.
    open().catch(() => undefined)
    return () => {
      ended = true
      end()
    }
  }, [])
  return <BusContext value={bus}>{children}</BusContext>
}
