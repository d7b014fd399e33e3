import type { Server } from '#shared/doctypes/server.ts'
import type { FormDescription } from '#web/documents/form/form-state.ts'
import type { FormControl } from '#web/documents/form/use-form.ts'
import { OperationDialog } from '../configurations/operation-dialog.tsx'
import { LocationChoice } from './location-choice.tsx'
import { MachineChoice } from './machine-choice.tsx'
import { hourlyPrice, monthlyPrice } from './machines.ts'
import { t } from './messages.ts'
import { serverForm } from './server-form.ts'
import type { Vendor } from './use-connections.ts'
import { useMachineTypes, useProviderMetadata } from './use-offers.ts'

/** Asks where and as what the machine of a server is ordered, whose creation failed, and goes on with that. */
export function ElsewhereDialog({
  server,
  vendor,
  onDone,
  onClose,
}: {
  server: Server
  vendor: Vendor
  onDone: () => void
  onClose: () => void
}) {
  const { vm_country, vm_region, vm_ebs_size } = server
  const form: FormDescription = {
    ...serverForm,
    names: ['vm_country', 'vm_region', 'vm_type', ...(vendor === 'AWS' ? ['vm_ebs_size'] : [])],
    hidden: () => false,
  }
  return (
    <OperationDialog
      server={server}
      name="order_elsewhere"
      form={form}
      initial={{ vm_country: vm_country ?? '', vm_region: vm_region ?? '', vm_ebs_size: vm_ebs_size ?? '' }}
      wide
      onDone={onDone}
      onClose={onClose}
    >
      {(control) => <Choices server={server} vendor={vendor} control={control} />}
    </OperationDialog>
  )
}

function Choices({ server, vendor, control }: { server: Server; vendor: Vendor; control: FormControl }) {
  const metadata = useProviderMetadata()
  const region = String(control.values['vm_region'] ?? '')
  const { connection, vm_region, vm_type } = server
  const machines = useMachineTypes(region === '' ? null : { cloud_provider: vendor, region, connection })
  const chosen = machines.data?.find(({ name }) => name === control.values['vm_type'])
  const [monthly, hourly] = chosen ? [monthlyPrice(chosen), hourlyPrice(chosen)] : [null, null]
  return (
    <>
      <LocationChoice control={control} vendor={vendor} metadata={metadata} />
      {region === '' ? null : (
        <MachineChoice
          control={control}
          machines={machines}
          provider={vendor}
          region={region}
          note={({ name }) => (region === vm_region && name === vm_type ? t('create.failed_before') : null)}
        />
      )}
      <p role="status" className="text-table">
        {monthly === null ? null : (
          <>
            <span className="font-semibold">{t('create.spec_monthly', { price: monthly })}</span>
            {hourly === null ? '. ' : `, ${t('create.spec_hourly', { price: hourly })}. `}
            <span className="text-muted">{t('create.billed', { provider: vendor })}</span>
          </>
        )}
      </p>
    </>
  )
}
