import { useEffect, useState, useSyncExternalStore } from 'react'
import { call } from '#web/lib/api.ts'
import { toApiError } from '#web/lib/api-error.ts'
import { formatClock } from '#web/lib/format.ts'
import { useConnected } from '#web/lib/use-events.ts'
import { Spinner } from '#web/ui/spinner.tsx'
import { words } from './messages.ts'

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
 * Since when nothing reaches the server; null while something does. A lost socket alone is not enough: the screens
 * poll then, so their data is fresh.
 */
function useOfflineSince(): number | null {
  const online = useSyncExternalStore(onBrowserNetwork, () => navigator.onLine)
  // The browser knows at once; the socket takes its heartbeat to notice.
  const connected = useConnected() && online
  const [since, setSince] = useState<number | null>(null)
  useEffect(() => {
    if (connected) return
    const lostAt = Date.now()
    let stopped = false
    let timer: ReturnType<typeof setTimeout>
    const ask = async (): Promise<void> => {
      try {
        await call('ping', {}, { verb: 'GET' })
        if (!stopped) setSince(null)
      } catch (error) {
        // Any answer means that the server is there.
        const silent = toApiError(error).httpStatus === 0
        if (!stopped) setSince((before) => (silent ? (before ?? lostAt) : null))
      }
      if (!stopped) timer = setTimeout(() => void ask(), askMs)
    }
    timer = setTimeout(() => void ask(), patienceMs)
    return () => {
      stopped = true
      clearTimeout(timer)
      setSince(null)
    }
  }, [connected])
  return since
}

/** Slim bar while the server cannot be reached: how old what one sees is. */
export function OfflineBar() {
  const since = useOfflineSince()
  return (
    <output className="block">
      {since !== null && (
        <span className="flex min-h-9 items-center gap-2 border-b border-[color-mix(in_oklab,var(--m-warn)_40%,var(--warn-bg))] bg-warn-bg px-6 text-table text-warn max-md:px-4">
          <Spinner className="size-3.5" />
          {words('shell.reconnecting', { time: formatClock(new Date(since)) })}
        </span>
      )}
    </output>
  )
}
