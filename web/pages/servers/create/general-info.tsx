import { ServerDoctype, serverCategories } from '#shared/doctypes/server.ts'
import type { ProviderMetadata } from '#shared/responses/servers.ts'
import { FormField } from '#web/documents/form/form-field.tsx'
import { checkField } from '#web/documents/form/form-state.ts'
import type { FormControl } from '#web/documents/form/use-form.ts'
import { valueLabel } from '#web/documents/query/list-query.ts'
import { useDebounced } from '#web/lib/api/debounce.ts'
import { useCount, type Loaded } from '#web/lib/api/frappe.tsx'
import { Segmented } from '#web/ui/form/segmented.tsx'
import { StatusIcon } from '#web/ui/status.tsx'
import { LocationChoice } from './location-choice.tsx'
import { t } from './messages.ts'
import { OwnMachineFields } from './own-machine.tsx'
import { ProviderChoice } from './provider-choice.tsx'
import { serverForm } from './server-form.ts'
import type { ConnectionRow, Vendor } from './use-connections.ts'

/** The first step: name, category, provider and place. */
export function GeneralInfo({
  control,
  vendor,
  connections,
  metadata,
}: {
  control: FormControl
  /** Null: a machine of one's own. */
  vendor: Vendor | null
  connections: Loaded<ConnectionRow[]>
  metadata: Loaded<ProviderMetadata>
}) {
  const category = control.values['server_category'] === 'production' ? 'production' : 'development'
  return (
    <>
      <div className="grid grid-cols-[minmax(0,1fr)_260px] gap-4 max-md:grid-cols-1">
        <NameField control={control} />
        <Segmented
          label={t('create.category')}
          hint={t('create.category_hint')}
          name="server_category"
          options={serverCategories.map((value) => ({
            value,
            label: valueLabel(ServerDoctype, 'server_category', value),
          }))}
          value={category}
          onChange={(value) => control.set('server_category', value)}
        />
      </div>
      <ProviderChoice control={control} connections={connections} />
      {vendor === null ? (
        <OwnMachineFields control={control} />
      ) : (
        <LocationChoice key={vendor} control={control} vendor={vendor} metadata={metadata} />
      )}
    </>
  )
}

/** The name, and whether this organization already uses it. */
function NameField({ control }: { control: FormControl }) {
  const name = String(control.values['hostname'] ?? '').trim()
  const settled = useDebounced(name)
  const isChecked = name !== '' && settled === name && checkField(serverForm, 'hostname', control.values) === null
  const used = useCount(isChecked ? 'Server' : null, {
    filters: [
      ['hostname', '=', name],
      ['status', '!=', 'Decommissioned'],
    ],
  }).data
  const state = !isChecked || used === undefined || control.errors['hostname'] ? null : used > 0 ? 'used' : 'free'
  return (
    <FormField
      control={control}
      name="hostname"
      clean={(value) => value.toLowerCase().replaceAll(' ', '-')}
      placeholder={t('create.name_example')}
      hint={state === 'used' ? t('create.name_used') : t('create.name_hint')}
      suffix={
        <span role="status" className="flex items-center gap-1 text-meta">
          {state === null ? null : (
            <>
              <StatusIcon tone={state === 'free' ? 'ok' : 'warn'} size={14} />
              {t(state === 'free' ? 'create.name_free' : 'create.name_taken')}
            </>
          )}
        </span>
      }
    />
  )
}
