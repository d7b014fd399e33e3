import type { UserMeta } from '#shared/doctypes/user-meta.ts'
import { updateDoc } from '../api/api.ts'
import { useDoc } from '../api/frappe.tsx'
import { useSession } from '../session/session.tsx'

/** Stored preferences by key; each has its own shape. */
type Preferences = Record<string, unknown>

/**
 * All preferences stored with the account, so that they apply in every browser. `loaded` is true once they are read,
 * `settled` once they are read or failed to load. `write` updates them optimistically. If saving fails, it reverts and
 * rejects with `ApiError`. It does nothing before they are loaded.
 */
export function usePreferences(): {
  values: Preferences | null | undefined
  loaded: boolean
  settled: boolean
  write: (values: Preferences) => Promise<void>
} {
  const { user } = useSession()
  const meta = useDoc('User Meta', user)
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

/** One preference; `set` works like `write` for this key. */
export function usePreference(key: string): {
  value: unknown
  loaded: boolean
  set: (value: unknown) => Promise<void>
} {
  const { values, loaded, write } = usePreferences()
  return { value: values?.[key], loaded, set: (value) => write({ ...values, [key]: value }) }
}
