import { useEffect, useEffectEvent, useRef, useSyncExternalStore } from 'react'
import { call } from '#web/lib/api/api.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { checkBuild } from '#web/lib/api/newer-build.ts'
import { setOfflineSince } from '#web/lib/api/offline.ts'
import { useConnected } from '#web/lib/api/use-events.ts'

/** A short break is nobody's business. */
const patienceMs = 4000
const askMs = 5000

function onBrowserNetwork(listener: () => void): () => void {
  addEventListener('online', listener)
  addEventListener('offline', listener)
  return () => {
    removeEventListener('online', listener)
    removeEventListener('offline', listener)
  }
}

/**
 * Watches whether the server can be reached and tells `lib/api/offline.ts`. A lost socket alone is not enough: the screens
 * poll then, so their data is fresh. When the connection is back, asks which build the server has.
 */
export function useConnectionWatch(): void {
  const online = useSyncExternalStore(onBrowserNetwork, () => navigator.onLine)
  // The browser knows at once; the socket takes its heartbeat to notice.
  const connected = useConnected() && online
  const wasConnected = useRef(false)
  const onBack = useEffectEvent(() => {
    // Servers are updated while they are away; between, nothing can have changed.
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
    const ask = async (): Promise<void> => {
      try {
        await call('ping', {}, { verb: 'GET', signal: AbortSignal.timeout(askMs) })
        since = null
      } catch (error) {
        // Any answer means that the server is there.
        since = toApiError(error).httpStatus === 0 ? (since ?? lostAt) : null
      }
      if (stopped) return
      setOfflineSince(since)
      timer = setTimeout(() => void ask(), askMs)
    }
    timer = setTimeout(() => void ask(), patienceMs)
    return () => {
      stopped = true
      clearTimeout(timer)
      setOfflineSince(null)
    }
  }, [connected])
}
