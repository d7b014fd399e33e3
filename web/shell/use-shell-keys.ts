import { useEffect, useEffectEvent, useState } from 'react'
import { limitReachedAt, showLimit } from '#web/documents/actions/limit-notice.ts'
import { useNavigate } from 'react-router'
import { useSession } from '#web/lib/session/session.tsx'
import { isForeignKey, shortcutsEnabled } from '#web/lib/browser/shortcuts.ts'
import { canOpen, useScreens } from './frame/screens.tsx'

/** Maximum delay before the second key of a sequence. */
const pairMs = 1500

/** Handlers of the shell's shortcuts. */
export interface ShellKeys {
  toggleSidebar: () => void
  /** `/` opens navigation, Ctrl or ⌘ + K actions. */
  search: (mode: 'navigation' | 'actions') => void
}

/** Whether a modal dialog other than the search is open; nothing may open on top of it. */
function isModalOpen(): boolean {
  return document.querySelector('.scrim[data-state=open]:not([data-search])') !== null
}

/**
 * Shortcuts of the whole app: Ctrl/⌘ with B and K, `/`, the `g` and `c` sequences, `?`. Returns the state of the help
 * dialog.
 */
export function useShellKeys(keys: ShellKeys): { open: boolean; setOpen: (open: boolean) => void } {
  const [open, setOpen] = useState(false)
  const navigate = useNavigate()
  const session = useSession()
  const screens = useScreens()

  const onPair = useEffectEvent((pair: string): boolean => {
    const to = screens.find(({ shortcut }) => shortcut?.keys.join(' ').toLowerCase() === pair)?.path
    if (to === undefined) return false
    // If the plan's limit is reached, explain it instead of ignoring the key.
    const full = limitReachedAt(to, session.subscription)
    if (full === null && !canOpen(screens, session, to)) return false
    if (full === null) void navigate(to)
    else if (!isModalOpen()) showLimit(full)
    return true
  })
  const onChord = useEffectEvent((key: string): boolean => {
    if (key === 'b') keys.toggleSidebar()
    else if (key === 'k' && !isModalOpen()) keys.search('actions')
    else return false
    return true
  })
  const onSingle = useEffectEvent((key: string): boolean => {
    if (key === '?') setOpen(true)
    else if (key === '/') keys.search('navigation')
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
        // Prevents the second key from triggering a screen's shortcut.
        event.stopImmediatePropagation()
        first = null
        return
      }
      first = event.key === 'g' || event.key === 'c' ? { key: event.key, at: event.timeStamp } : null
      if (onSingle(event.key)) event.preventDefault()
    }
    // In the capture phase, before the screens' own shortcuts.
    document.addEventListener('keydown', onKey, true)
    return () => document.removeEventListener('keydown', onKey, true)
  }, [])
  return { open, setOpen }
}
