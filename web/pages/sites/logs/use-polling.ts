import { useEffect, useEffectEvent } from 'react'
import { useOfflineSince } from '#web/lib/api/offline.ts'

/** Interval of reading what is new. */
export const pollMs = 2_000

/**
 * Calls `read` at once and then every two seconds after it has ended, while the tab is visible and the server can be
 * reached; at once when either is the case again.
 */
export function usePolling(read: () => Promise<void>, isOn: boolean): void {
  const isOffline = useOfflineSince() !== null
  const onRead = useEffectEvent(read)
  useEffect(() => {
    if (!isOn || isOffline) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let isEnded = false
    let isReading = false
    const poll = async (): Promise<void> => {
      clearTimeout(timer)
      if (isEnded || isReading || document.hidden) return
      isReading = true
      await onRead()
      isReading = false
      if (!isEnded) timer = setTimeout(() => void poll(), pollMs)
    }
    const onVisible = () => void poll()
    void poll()
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      isEnded = true
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', onVisible)
    }
  }, [isOn, isOffline])
}
