import { multisiteKinds } from '#shared/rules/multisite.ts'
import { engineCapabilities } from '#web/documents/actions/action-responses.ts'
import type { FormControl } from '#web/documents/form/use-form.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { Field } from '#web/ui/form/field.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { t } from './messages.ts'

/** Label of each kind of network. */
export const multisiteLabels = {
  subdir: () => t('create.multisite_subdir'),
  subdom: () => t('create.multisite_subdom'),
}

const capabilityNames = { subdir: 'create_multisite', subdom: 'multisite_subdomains' } as const

/** Whether a new WordPress site is a network. Kinds that the chosen server can't run are off, with the reason. */
export function MultisiteChoice({ control, server }: { control: FormControl; server: string }) {
  const engine = useMethod(
    server === '' ? null : 'easydash.api.engine.capabilities',
    { server },
    { returns: engineCapabilities },
  )
  const reasonOf = (kind: (typeof multisiteKinds)[number]): string | null => {
    const capability = engine.data?.capabilities[capabilityNames[kind]]
    return capability && !capability.supported ? capability.reason : null
  }
  const reasons = multisiteKinds.flatMap((kind) => reasonOf(kind) ?? [])
  return (
    <Field
      label={t('create.multisite')}
      hint={[t('create.multisite_hint'), ...reasons.map((reason) => translateText(reason))].join(' ')}
      error={control.errors['multisite']}
    >
      <Select
        name="multisite"
        value={String(control.values['multisite'] ?? '')}
        onBlur={() => control.blur('multisite')}
        onChange={(event) => control.set('multisite', event.target.value)}
      >
        <option value="">{t('create.multisite_none')}</option>
        {multisiteKinds.map((kind) => (
          <option key={kind} value={kind} disabled={reasonOf(kind) !== null}>
            {multisiteLabels[kind]()}
          </option>
        ))}
      </Select>
    </Field>
  )
}
