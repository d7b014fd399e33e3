import { useState } from 'react'
import type { SearchMode } from './search/use-groups.tsx'

/** Whether the search is open, and what it lists first. */
export interface SearchState {
  open: boolean
  mode: SearchMode
  setOpen: (open: boolean) => void
  /** Opens the search in a mode. Called for actions while they are already first, switches back to navigation. */
  call: (mode: SearchMode) => void
}

/** State of the global search. */
export function useSearch(): SearchState {
  const [open, setOpen] = useState(false)
  const [mode, setMode] = useState<SearchMode>('navigation')
  return {
    open,
    mode,
    setOpen: (next) => {
      if (next && !open) setMode('navigation')
      setOpen(next)
    },
    call: (wanted) => {
      setMode(open && mode === 'actions' ? 'navigation' : wanted)
      setOpen(true)
    },
  }
}
