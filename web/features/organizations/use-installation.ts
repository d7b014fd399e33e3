import { installationInfo } from '#shared/responses/installation.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'

/** Reads details of the installation. */
export function useInstallation() {
  return useMethod('easydash.api.connections.facts', {}, { returns: installationInfo })
}
