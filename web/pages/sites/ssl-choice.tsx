import { certificateKindLabels, issuedKinds } from '#shared/rules/site-certificates.ts'
import { engineCapabilities } from '#web/documents/actions/action-responses.ts'
import type { FormControl } from '#web/documents/form/use-form.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { Field } from '#web/ui/form/field.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { tChoice } from './choice-messages.ts'

/** Which certificate a new site gets; off with the reason where the chosen server has none. */
export function SslChoice({ control, server }: { control: FormControl; server: string }) {
  const engine = useMethod(
    server === '' ? null : 'easydash.api.engine.capabilities',
    { server },
    { returns: engineCapabilities },
  )
  const tls = engine.data?.capabilities['tls']
  const reason = tls && !tls.supported ? translateText(tls.reason) : null
  return (
    <Field
      label={tChoice('choice.ssl')}
      hint={reason ?? tChoice('choice.ssl_hint')}
      error={control.errors['initial_ssl']}
      className="max-w-80"
    >
      <Select
        name="initial_ssl"
        value={String(control.values['initial_ssl'] ?? '')}
        onBlur={() => control.blur('initial_ssl')}
        onChange={(event) => control.set('initial_ssl', event.target.value)}
      >
        <option value="">{tChoice('choice.ssl_none')}</option>
        {issuedKinds.map((kind) => (
          <option key={kind} value={kind} disabled={reason !== null}>
            {translateText(certificateKindLabels[kind])}
          </option>
        ))}
      </Select>
    </Field>
  )
}
