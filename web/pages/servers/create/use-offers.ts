import { machineTypes, providerMetadata, type MachineType, type ProviderMetadata } from '#shared/responses/servers.ts'
import { useMethod, type Loaded } from '#web/lib/api/frappe.tsx'
import { useFailureToast } from '#web/lib/api/use-failure-toast.ts'
import { t } from './messages.ts'

const controller = 'easydash.easydash.doctype.server.server'
const options = { verb: 'POST', revalidateOnFocus: false } as const

/** Where each provider has machines. */
export function useProviderMetadata(): Loaded<ProviderMetadata> {
  const metadata = useMethod(`${controller}.get_cloud_provider_metadata`, {}, { ...options, returns: providerMetadata })
  useFailureToast(t('create.metadata_error'), metadata.error)
  return metadata
}

/** What a provider offers in a region, by an account, else by the default one. Null asks for nothing. */
export function useMachineTypes(
  at: { cloud_provider: string; region: string; connection?: string | null } | null,
): Loaded<MachineType[]> {
  const { connection, ...place } = at ?? {}
  return useMethod(
    at && `${controller}.get_machine_types`,
    { ...place, ...(connection && { connection }) },
    { ...options, returns: machineTypes },
  )
}
