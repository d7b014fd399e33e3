import { useMemo, useSyncExternalStore } from 'react'

/** Whether a media query matches. */
export function useMedia(query: string): boolean {
  const { subscribe, holds } = useMemo(() => {
    const media = matchMedia(query)
    return {
      holds: () => media.matches,
      subscribe: (listener: () => void) => {
        media.addEventListener('change', listener)
        return () => media.removeEventListener('change', listener)
      },
    }
  }, [query])
  return useSyncExternalStore(subscribe, holds)
}
