import { useEffect } from 'react'
import type { UserMeta } from '#shared/doctypes/user-meta.ts'
import { updateDoc } from './api.ts'
import { useDoc } from './frappe.tsx'
import { useSession } from './session.tsx'
import { setShortcutsEnabled, shortcutsEnabled } from './shortcuts.ts'

/** Name in the stored preferences of a person. */
const key = 'single_keys'

/**
 * Whether single keys are on for this person, and how to switch them: kept with the account, so it holds in every
 * browser; this browser's own memory answers until the account's is read. `set` rejects with `ApiError` and takes the
 * switch back.
 */
export function useSingleKeys(): { on: boolean; set: (on: boolean) => Promise<void> } {
  const { user } = useSession()
  const meta = useDoc<UserMeta>('User Meta', user)
  const stored = meta.data?.preferences?.[key]
  const on = typeof stored === 'boolean' ? stored : shortcutsEnabled()
  useEffect(() => setShortcutsEnabled(on), [on])
  return {
    on,
    async set(next) {
      setShortcutsEnabled(next)
      const before = meta.data
      if (!user || !before) return
      const preferences = { ...before.preferences, [key]: next }
      void meta.reload({ ...before, preferences })
      try {
        await updateDoc<UserMeta>('User Meta', user, { preferences })
      } catch (error) {
        setShortcutsEnabled(!next)
        void meta.reload(before)
        throw error
      }
    },
  }
}
