import type { UserMeta } from '#shared/doctypes/user-meta.ts'
import { updateDoc } from '../api/api.ts'
import { useDoc } from '../api/frappe.tsx'
import { useSession } from '../session/session.tsx'

/** Preferences as they are stored: by key, each of a shape of its own. */
type Preferences = Record<string, unknown>

/**
 * All preferences that are kept with the account, so that they hold in every browser. `loaded` is false until they are
 * read, `settled` until they are read or cannot be. `write` shows the new ones at once; it rejects with `ApiError` and
 * takes them back when they were not saved, and does nothing before they are read.
 */
export function usePreferences(): {
  values: Preferences | null | undefined
  loaded: boolean
  settled: boolean
  write: (values: Preferences) => Promise<void>
} {
  const { user } = useSession()
  const meta = useDoc<UserMeta>('User Meta', user)
  return {
    values: meta.data?.preferences,
    loaded: meta.data !== undefined,
    settled: !user || meta.data !== undefined || meta.error !== null,
    async write(preferences) {
      const before = meta.data
      if (!user || !before) return
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

/** One of these preferences; `set` is to it what `write` is to all. */
export function usePreference(key: string): {
  value: unknown
  loaded: boolean
  set: (value: unknown) => Promise<void>
} {
  const { values, loaded, write } = usePreferences()
  return { value: values?.[key], loaded, set: (value) => write({ ...values, [key]: value }) }
}
