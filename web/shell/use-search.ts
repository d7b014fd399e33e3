import { startTransition, useEffect, useEffectEvent, useState } from 'react'
import { shortcutsEnabled } from '#web/lib/browser/shortcuts.ts'
import { keepTyped, takeEarlySearch, takeTyped, type SearchMode } from '#web/lib/browser/typed-ahead.ts'

/** Whether the search is open, and what it lists first. */
export interface SearchState {
  open: boolean
  mode: SearchMode
  setOpen: (open: boolean) => void
}

let called: ((mode: SearchMode) => void) | null = null

/** Opens the search in a mode. Called for actions while they are already first, switches back to navigation. */
export function callSearch(mode: SearchMode): void {
  called?.(mode)
}

/** State of the global search, whose changes are not the shell's; `load` loads its code. */
export function useSearch(load: () => Promise<unknown>): SearchState {
  const [open, setOpen] = useState(false)
  const [mode, setMode] = useState<SearchMode>('navigation')
  const call = useEffectEvent((wanted: SearchMode): void => {
    if (!open) {
      // Its field takes over once it has the focus.
      keepTyped(() => setOpen(false))
      load().catch(() => {
        takeTyped()
        setOpen(false)
      })
    }
    // The next keys don't wait until it is drawn.
    startTransition(() => {
      setMode(open && mode === 'actions' ? 'navigation' : wanted)
      setOpen(true)
    })
  })
  const openEarly = useEffectEvent(() => {
    const wanted = takeEarlySearch()
    if (wanted === 'navigation' && !shortcutsEnabled()) takeTyped()
    else if (wanted) call(wanted)
  })
  useEffect(() => {
    called = (wanted) => call(wanted)
    openEarly()
    return () => {
      called = null
    }
  }, [])
  return {
    open,
    mode,
    setOpen: (next) => {
      if (next && !open) setMode('navigation')
      if (!next) takeTyped()
      setOpen(next)
    },
  }
}
