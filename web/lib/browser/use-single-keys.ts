import { useEffect } from 'react'
import { setShortcutsEnabled, shortcutsEnabled } from './shortcuts.ts'
import { usePreference } from './use-preference.ts'

/**
 * Whether single-key shortcuts are on for this user, and a setter. Stored with the account, so that it applies in every
 * browser; until the account's value is loaded, this browser's stored value is used. `set` reverts and rejects with
 * `ApiError` if saving fails.
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
