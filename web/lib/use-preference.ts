import type { UserMeta } from '#shared/doctypes/user-meta.ts'
import { updateDoc } from './api.ts'
import { useDoc } from './frappe.tsx'
import { useSession } from './session.tsx'

/**
 * One of the preferences that are kept with the account, so that they hold in every browser. `loaded` is false until they
 * are read. `set` shows the new value at once; it rejects with `ApiError` and takes it back when it was not saved.
 */
export function usePreference(key: string): {
  value: unknown
  loaded: boolean
  set: (value: unknown) => Promise<void>
} {
  const { user } = useSession()
  const meta = useDoc<UserMeta>('User Meta', user)
  return {
    value: meta.data?.preferences?.[key],
    loaded: meta.data !== undefined,
    async set(value) {
      const before = meta.data
      if (!user || !before) return
      const preferences = { ...before.preferences, [key]: value }
      void meta.reload({ ...before, preferences })
      try {
        await updateDoc<UserMeta>('User Meta', user, { preferences })
      } catch (error) {
        void meta.reload(before)
        throw error
      }
    },
  }
}
