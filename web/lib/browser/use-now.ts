import { useEffect, useState } from 'react'

/** The current time (ms since epoch), updated every `everyMs` while the page is visible; null never updates. */
export function useNow(everyMs: number | null): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (everyMs === null) return
    const timer = setInterval(() => {
      if (!document.hidden) setNow(Date.now())
    }, everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
