import { useMedia } from '#web/lib/browser/use-media.ts'

/** Widths of the design: cards on phones, fewer columns on tablets, all from 1280 px. */
export type Breakpoint = 'phone' | 'tablet' | 'desktop'

/** The present width class of the window. */
export function useBreakpoint(): Breakpoint {
  const tablet = useMedia('(min-width: 768px)')
  const desktop = useMedia('(min-width: 1280px)')
  return desktop ? 'desktop' : tablet ? 'tablet' : 'phone'
}
