import { useMedia } from '#web/lib/browser/use-media.ts'

/** Breakpoints: cards on phones, fewer columns on tablets, all columns from 1280 px. */
export type Breakpoint = 'phone' | 'tablet' | 'desktop'

/** The window's current breakpoint. */
export function useBreakpoint(): Breakpoint {
  const tablet = useMedia('(min-width: 768px)')
  const desktop = useMedia('(min-width: 1280px)')
  return desktop ? 'desktop' : tablet ? 'tablet' : 'phone'
}
