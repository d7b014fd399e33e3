import { useMethod } from '#web/lib/frappe.tsx'

/** What the installation says about itself to admins. */
export interface InstallationFacts {
  egress_ips: string[]
  bot_name: string
  default_public_key: string | null
}

/** Reads it. */
export function useInstallationFacts() {
  return useMethod<InstallationFacts>('easydash.api.connections.facts')
}
