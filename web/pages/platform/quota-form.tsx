import { useState } from 'react'
import type { PlatformOrganization } from '#shared/responses/platform.ts'
import { SiteQuotaDoctype } from '#shared/doctypes/site-quota.ts'
import { maxQuotaValue, quotaNames } from '#shared/rules/site-quotas.ts'
import { int } from '#shared/fields.ts'
import { fieldLabel } from '#shared/doctype.ts'
import { DocForm, FormFailure } from '#web/documents/form/form.tsx'
import { FormField } from '#web/documents/form/form-field.tsx'
import type { FormDescription } from '#web/documents/form/form-state.ts'
import { useForm } from '#web/documents/form/use-form.ts'
import { ApiError } from '#web/lib/api/api-error.ts'
import { Button } from '#web/ui/button.tsx'
import { CopyMethodButton } from './copy-method-button.tsx'
import { t } from './messages.ts'
import type { PlatformMethodRunner } from './use-platform-method.ts'

const form: FormDescription = {
  fields: Object.fromEntries(
    quotaNames.map((name) => [
      name,
      int({ min: 0, max: maxQuotaValue, label: fieldLabel(name, SiteQuotaDoctype.fields[name]) }),
    ]),
  ),
  names: [...quotaNames],
}

/** Quotas of an organization's sites instead of those of their types; an empty one uses the type's, 0 means unlimited. */
export function QuotaForm({
  organization,
  runner,
}: {
  organization: PlatformOrganization
  runner: PlatformMethodRunner
}) {
  const [stored] = useState(() =>
    Object.fromEntries(quotaNames.map((name) => [name, String(organization.site_quotas[name] ?? '')])),
  )
  const control = useForm(form, {
    initial: stored,
    save: async (payload) => {
      const quotas = Object.fromEntries(quotaNames.map((name) => [name, payload[name] ?? null]))
      const params = { organization: organization.name, ...quotas }
      const failure = await runner.run('set_site_quotas', params, t('quotas.done'), true)
      if (failure !== null) throw new ApiError(failure)
    },
  })
  /** A quota as entered; the method validates it. */
  const typed = (name: string) => String(control.values[name] ?? '').trim()
  return (
    <DocForm control={control} label={t('quotas.granted')} className="grid gap-3">
      <div className="grid gap-3 md:grid-cols-2">
        {quotaNames.map((name) => (
          <FormField key={name} control={control} name={name} placeholder={t('quotas.type')} />
        ))}
      </div>
      <FormFailure control={control} />
      <div className="flex flex-wrap items-center gap-1">
        <Button type="submit" busy={control.busy} disabled={quotaNames.every((name) => typed(name) === stored[name])}>
          {t('quotas.save')}
        </Button>
        <CopyMethodButton
          action={t('quotas.save')}
          method="set_site_quotas"
          params={{
            organization: organization.name,
            ...Object.fromEntries(quotaNames.map((name) => [name, typed(name) || null])),
          }}
        />
      </div>
    </DocForm>
  )
}
