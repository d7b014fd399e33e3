import { useEffect, useState } from 'react'
import type { SearchMode } from './search/use-groups.tsx'

/** Whether the search is open, and what stands first in it. */
export interface SearchState {
  open: boolean
  mode: SearchMode
  setOpen: (open: boolean) => void
  /** Opens it in a mode; asked for actions while they stand first, it goes back to places. */
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

/** What is typed between the key that opens the search and its field being there: nothing of it is lost. */
export function useEarlyText(waiting: boolean, open: boolean): string {
  const [text, setText] = useState('')
  if (!open && text !== '') setText('')
  useEffect(() => {
    if (!waiting) return
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
      const isText = [...event.key].length === 1
      if (!isText && event.key !== 'Backspace') return
      event.preventDefault()
      event.stopImmediatePropagation()
      setText((before) => (isText ? before + event.key : before.slice(0, -1)))
    }
    // On the window: before the shell's and the screens' own keys.
    addEventListener('keydown', onKey, true)
    return () => removeEventListener('keydown', onKey, true)
  }, [waiting])
  return text
}
