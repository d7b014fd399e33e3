import { useEffect, useState } from 'react'

/** The present (ms since epoch), renewed every `everyMs` while the page is visible; null stands still. */
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
