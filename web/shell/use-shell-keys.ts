import { useEffect, useEffectEvent, useState } from 'react'
import { useNavigate } from 'react-router'
import { useSession } from '#web/lib/session.tsx'
import { isForeignKey, shortcutsEnabled } from '#web/lib/shortcuts.ts'

/** How long the second key of a pair may take. */
const pairMs = 1500

/** Keys of the whole app: ⌘/Ctrl+B, `g` and `c` pairs, `?`. Returns the state of the help dialog. */
export function useShellKeys(toggleSidebar: () => void): { open: boolean; setOpen: (open: boolean) => void } {
  const [open, setOpen] = useState(false)
  const navigate = useNavigate()
  const { modules } = useSession()

  const places: Readonly<Record<string, string>> = {
    'g d': '/',
    'g s': '/site',
    'c s': '/site/create',
    ...(modules.ee && { 'g v': '/server' }),
  }
  const onPair = useEffectEvent((pair: string): boolean => {
    const to = places[pair]
    if (to) void navigate(to)
    return to !== undefined
  })
  const onSidebar = useEffectEvent(toggleSidebar)

  useEffect(() => {
    let first: { key: string; at: number } | null = null
    const onKey = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'b') {
        event.preventDefault()
        onSidebar()
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
      if (event.key === '?') {
        event.preventDefault()
        setOpen(true)
      }
    }
    // While capturing: before the screens' own keys.
    document.addEventListener('keydown', onKey, true)
    return () => document.removeEventListener('keydown', onKey, true)
  }, [])
  return { open, setOpen }
}
