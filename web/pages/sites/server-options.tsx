import { engineCapabilities } from '#web/documents/actions/action-responses.ts'
import { FormField } from '#web/documents/form/form-field.tsx'
import type { FormControl } from '#web/documents/form/use-form.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { t } from './messages.ts'

const options = {
  wp: [
    ['object_cache', 'object_cache', 'create.object_cache_hint'],
    ['vip', 'vip', 'create.vip_hint'],
  ],
  php: [['with_database', 'php_database', 'create.with_database_hint']],
} as const

/** What a server can give a new site besides. What the chosen one lacks is left out, unless it was wanted of another. */
export function ServerOptions({
  control,
  server,
  kind,
}: {
  control: FormControl
  server: string
  kind: keyof typeof options
}) {
  const engine = useMethod(
    server === '' ? null : 'easydash.api.engine.capabilities',
    { server },
    { returns: engineCapabilities },
  )
  return options[kind].map(([name, capability, hint]) =>
    engine.data?.capabilities[capability]?.supported || control.values[name] === 1 ? (
      <FormField key={name} control={control} name={name} hint={t(hint)} />
    ) : null,
  )
}
