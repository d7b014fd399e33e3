import type { InstallationFacts } from '#shared/responses/installation.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'

/** Reads it. */
export function useInstallationFacts() {
  return useMethod<InstallationFacts>('easydash.api.connections.facts')
}
