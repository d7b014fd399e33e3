import { useSyncExternalStore } from 'react'

/** Widths of the design: cards on phones, fewer columns on tablets, all from 1280 px. */
export type Breakpoint = 'phone' | 'tablet' | 'desktop'

const tablet = '(min-width: 768px)'
const desktop = '(min-width: 1280px)'

function subscribe(listener: () => void): () => void {
  const queries = [matchMedia(tablet), matchMedia(desktop)]
  for (const query of queries) query.addEventListener('change', listener)
  return () => {
    for (const query of queries) query.removeEventListener('change', listener)
  }
}

/** The present width class of the window. */
export function useBreakpoint(): Breakpoint {
  return useSyncExternalStore(subscribe, () => (matchMedia(desktop).matches ? 'desktop' : matchMedia(tablet).matches ? 'tablet' : 'phone'))
}
