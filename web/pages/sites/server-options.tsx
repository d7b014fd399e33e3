import { engineCapabilities } from '#web/documents/actions/action-responses.ts'
import { FormField } from '#web/documents/form/form-field.tsx'
import type { FormControl } from '#web/documents/form/use-form.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { tChoice } from './choice-messages.ts'
import { WordPressChoice } from './wordpress-choice.tsx'

const options = {
  wp: [
    ['object_cache', 'object_cache', 'choice.object_cache_hint'],
    ['vip', 'vip', 'choice.vip_hint'],
  ],
  php: [['with_database', 'php_database', 'choice.with_database_hint']],
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
  const has = (capability: string) => engine.data?.capabilities[capability]?.supported === true
  const isChosen = ['initial_locale', 'initial_version'].some((name) => (control.values[name] ?? '') !== '')
  return (
    <>
      {kind === 'wp' && (has('wordpress_choice') || isChosen) ? <WordPressChoice control={control} /> : null}
      {options[kind].map(([name, capability, hint]) =>
        has(capability) || control.values[name] === 1 ? (
          <FormField key={name} control={control} name={name} hint={tChoice(hint)} />
        ) : null,
      )}
    </>
  )
}
