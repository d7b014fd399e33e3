import { useEffect, useEffectEvent, useState } from 'react'
import { fullAt, sayLimit } from '#web/documents/actions/limit-question.ts'
import { useNavigate } from 'react-router'
import { useSession } from '#web/lib/session/session.tsx'
import { isForeignKey, shortcutsEnabled } from '#web/lib/browser/shortcuts.ts'
import { mayOpen, useScreens } from './frame/screens.tsx'
import { pairPlaces } from './shortcut-table.ts'

/** How long the second key of a pair may take. */
const pairMs = 1500

/** What a chord or key of the shell does. */
export interface ShellKeys {
  toggleSidebar: () => void
  /** `/` asks for places, Ctrl or ⌘ + K for actions. */
  search: (mode: 'places' | 'actions') => void
}

/** A modal question is open: nothing else may open over it. The search is none. */
function isAsking(): boolean {
  return document.querySelector('.scrim[data-state=open]:not([data-search])') !== null
}

/** Keys of the whole app: Ctrl/⌘ with B and K, `/`, the `g` and `c` pairs, `?`. Returns the state of the help dialog. */
export function useShellKeys(keys: ShellKeys): { open: boolean; setOpen: (open: boolean) => void } {
  const [open, setOpen] = useState(false)
  const navigate = useNavigate()
  const session = useSession()
  const screens = useScreens()

  const onPair = useEffectEvent((pair: string): boolean => {
    const to = pairPlaces[pair]
    if (to === undefined) return false
    // A full plan is no reason to stay silent: what can be done about it is said.
    const full = screens.some(({ path }) => path === to) ? fullAt(to, session.subscription) : null
    if (full === null && !mayOpen(screens, session, to)) return false
    if (full === null) void navigate(to)
    else if (!isAsking()) sayLimit(full)
    return true
  })
  const onChord = useEffectEvent((key: string): boolean => {
    if (key === 'b') keys.toggleSidebar()
    else if (key === 'k' && !isAsking()) keys.search('actions')
    else return false
    return true
  })
  const onSingle = useEffectEvent((key: string): boolean => {
    if (key === '?') setOpen(true)
    else if (key === '/') keys.search('places')
    else return false
    return true
  })

  useEffect(() => {
    let first: { key: string; at: number } | null = null
    const onKey = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
        if (onChord(event.key.toLowerCase())) event.preventDefault()
        return
      }
      if (isForeignKey(event) || !shortcutsEnabled()) return
      if (first && event.timeStamp - first.at < pairMs && onPair(`${first.key} ${event.key}`)) {
        event.preventDefault()
        // The second key must not also be a screen's own single key.
        event.stopImmediatePropagation()
        first = null
        return
      }
      first = event.key === 'g' || event.key === 'c' ? { key: event.key, at: event.timeStamp } : null
      if (onSingle(event.key)) event.preventDefault()
    }
    // While capturing: before the screens' own keys.
    document.addEventListener('keydown', onKey, true)
    return () => document.removeEventListener('keydown', onKey, true)
  }, [])
  return { open, setOpen }
}
