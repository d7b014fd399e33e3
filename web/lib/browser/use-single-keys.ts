import { useEffect } from 'react'
import { setShortcutsEnabled, shortcutsEnabled } from './shortcuts.ts'
import { usePreference } from './use-preference.ts'

/**
 * Whether single keys are on for this person, and how to switch them: kept with the account, so it holds in every
 * browser; this browser's own memory answers until the account's is read. `set` rejects with `ApiError` and takes the
 * switch back.
 */
export function useSingleKeys(): { on: boolean; set: (on: boolean) => Promise<void> } {
  const { value, set } = usePreference('single_keys')
  const on = typeof value === 'boolean' ? value : shortcutsEnabled()
  useEffect(() => setShortcutsEnabled(on), [on])
  return {
    on,
    async set(next) {
      setShortcutsEnabled(next)
      try {
        await set(next)
      } catch (error) {
        setShortcutsEnabled(!next)
        throw error
      }
    },
  }
}
