import { platformSettingsName } from '#shared/doctypes/platform-settings.ts'
import { useDoc } from '#web/lib/api/frappe.tsx'

/** The installation's settings, live. */
export const usePlatformSettings = () => useDoc('Platform Settings', platformSettingsName)

/** Return type of `usePlatformSettings`. */
export type PlatformSettingsAccess = ReturnType<typeof usePlatformSettings>

/** Whether organizations have plans with limits; false while loading. */
export function usePlansEnabled(): boolean {
  return usePlatformSettings().data?.plans_enabled === 1
}
