import { useState } from 'react'
import type { SearchMode } from './search/use-groups.tsx'

/** Whether the search is open, and what stands first in it. */
export interface SearchState {
  open: boolean
  mode: SearchMode
  setOpen: (open: boolean) => void
  /** Opens it in a mode; when it is open already, goes to the other one. */
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
      setMode(open && mode === wanted ? (wanted === 'actions' ? 'places' : 'actions') : wanted)
      setOpen(true)
    },
  }
}
