import { useEffect, useEffectEvent } from 'react'
import { isForeignKey, shortcutsEnabled } from '#web/lib/browser/shortcuts.ts'

/** Registers a screen's single-key shortcuts while it is mounted; ignores keys meant for something else. */
export function useShortcuts(handlers: Readonly<Record<string, () => void>>): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const handler = Object.hasOwn(handlers, event.key) ? handlers[event.key] : undefined
    if (!handler || isForeignKey(event) || !shortcutsEnabled()) return
    event.preventDefault()
    handler()
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event)
    document.addEventListener('keydown', listener)
    return () => document.removeEventListener('keydown', listener)
  }, [])
}
