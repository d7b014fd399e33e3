import { useEffect, useState, type ReactNode } from 'react'
import { createEventBus, type EventBus } from './event-bus.ts'
import type { SocketLike } from './event-rooms.ts'
import { firstReads } from './first-reads.ts'
import { dataClient } from '../api/data-client.ts'
import { reportReconnection } from '../api/session-invalidation.ts'
import { BusContext } from './use-events.ts'

/**
 * Opens the socket after the reads of the first screen, and provides live changes to its children. Until then everything
 * polls, and changes since the page was generated are caught up.
 */
export function LiveChanges({ children }: { children: ReactNode }) {
  const [bus, setBus] = useState<EventBus | null>(null)
  useEffect(() => {
    const ended = new AbortController()
    let end = (): void => undefined
    const open = async (): Promise<void> => {
      await firstReads(dataClient, ended.signal)
      if (ended.signal.aborted) return
      const { openSocket } = await import('./socket.ts')
      if (ended.signal.aborted) return
      const socket = openSocket()
      let again = false
      // Not the manager's `reconnect` event: it fires before the server has accepted the session, which may have ended.
      socket.on('connect', () => {
        if (again) reportReconnection()
        again = true
      })
      const opened = createEventBus(socket as unknown as SocketLike, {
        // The page was delivered with the session of that time.
        since: performance.timeOrigin,
        changed: reportReconnection,
      })
      end = () => {
        opened.close()
        socket.disconnect()
      }
      setBus(opened)
    }
    // If the code fails to load, keep polling, as when the socket is down.
    open().catch(() => undefined)
    return () => {
      ended.abort()
      end()
    }
  }, [])
  return <BusContext value={bus}>{children}</BusContext>
}
