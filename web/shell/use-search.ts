import { useState } from 'react'
import type { SearchMode } from './search/use-groups.tsx'

/** Whether the search is open, and what it lists first. */
export interface SearchState {
  open: boolean
  mode: SearchMode
  setOpen: (open: boolean) => void
  /** Opens the search in a mode. Called for actions while they are already first, switches back to places. */
  call: (mode: SearchMode) => void
}

/** State of the global search. */
export function useSearch(): SearchState {
  const [open, setOpen] = useState(false)
  const [mode, setMode] = useState<SearchMode>('places')
  return {
    open,
    mode,
    setOpen: (next) => {
      if (next && !open) setMode('places')
      setOpen(next)
    },
    call: (wanted) => {
      setMode(open && mode === 'actions' ? 'places' : wanted)
      setOpen(true)
    },
  }
}
