import { useEffect, useEffectEvent, useRef, useSyncExternalStore } from 'react'
import { call } from '#web/lib/api/api.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { checkBuild } from '#web/lib/api/newer-build.ts'
import { setOfflineSince } from '#web/lib/api/offline.ts'
import { useConnected } from '#web/lib/events/use-events.ts'

/** Short interruptions are not shown. */
const delayMs = 4000
const pingMs = 5000

function onBrowserNetwork(listener: () => void): () => void {
  addEventListener('online', listener)
  addEventListener('offline', listener)
  return () => {
    removeEventListener('online', listener)
    removeEventListener('offline', listener)
  }
}

/**
 * Watches whether the server is reachable and updates `lib/api/offline.ts`. A lost socket alone isn't enough: screens poll
 * then, so their data is current. After a reconnect, checks which build the server has.
 */
export function useConnectionWatch(): void {
  const online = useSyncExternalStore(onBrowserNetwork, () => navigator.onLine)
  // The browser reports offline immediately; the socket notices only at its next heartbeat.
  const connected = useConnected() && online
  const wasConnected = useRef(false)
  const onBack = useEffectEvent(() => {
    // Only after a reconnect, because a server update always interrupts the connection.
    if (wasConnected.current) void checkBuild()
    wasConnected.current = true
  })

  useEffect(() => {
    if (connected) {
      onBack()
      return
    }
    const lostAt = Date.now()
    let stopped = false
    let timer: ReturnType<typeof setTimeout>
    let since: number | null = null
    const ping = async (): Promise<void> => {
      try {
        await call('ping', {}, { verb: 'GET', signal: AbortSignal.timeout(pingMs) })
        since = null
      } catch (error) {
        // Any response means the server is reachable.
        since = toApiError(error).httpStatus === 0 ? (since ?? lostAt) : null
      }
      if (stopped) return
      setOfflineSince(since)
      timer = setTimeout(() => void ping(), pingMs)
    }
    timer = setTimeout(() => void ping(), delayMs)
    return () => {
      stopped = true
      clearTimeout(timer)
      setOfflineSince(null)
    }
  }, [connected])
}
