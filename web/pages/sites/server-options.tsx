import { engineCapabilities } from '#web/documents/actions/action-responses.ts'
import { FormField } from '#web/documents/form/form-field.tsx'
import type { FormControl } from '#web/documents/form/use-form.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { t } from './messages.ts'

const options = [
  ['object_cache', 'create.object_cache_hint'],
  ['vip', 'create.vip_hint'],
] as const

/** What a server can give a new WordPress besides. What the chosen one lacks is left out, unless it was wanted of another. */
export function ServerOptions({ control, server }: { control: FormControl; server: string }) {
  const engine = useMethod(
    server === '' ? null : 'easydash.api.engine.capabilities',
    { server },
    { returns: engineCapabilities },
  )
  return options.map(([name, hint]) =>
    engine.data?.capabilities[name]?.supported || control.values[name] === 1 ? (
      <FormField key={name} control={control} name={name} hint={t(hint)} />
    ) : null,
  )
}
