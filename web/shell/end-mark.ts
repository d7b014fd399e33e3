import { useEffect, useState } from 'react'
import { useTitlePrefix } from '#web/lib/routing/use-title.ts'

/** Marks the title of a tab in the background when something ended there, until it is looked at. */
export function useEndMark(): (failed: boolean) => void {
  const [mark, setMark] = useState<string | null>(null)
  useTitlePrefix(mark)
  useEffect(() => {
    const seen = (): void => {
      if (!document.hidden) setMark(null)
    }
    document.addEventListener('visibilitychange', seen)
    return () => document.removeEventListener('visibilitychange', seen)
  }, [])
  return (failed) => {
    if (document.hidden) setMark(failed ? '✗' : '✓')
  }
}
