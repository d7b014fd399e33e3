import { useState } from 'react'
import type { PlatformOrganization } from '#shared/responses/platform.ts'
import { int } from '#shared/fields.ts'
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
  fields: {
    site: int({ min: -1, max: 1_000_000, label: t('organizations.sites') }),
    server: int({ min: -1, max: 1_000_000, label: t('organizations.servers') }),
  },
  names: ['site', 'server'],
}

const asText = (limit: number | null): string => (limit === null ? '' : String(limit))

/** Limits granted to an organization instead of its plan's; an empty one uses the plan's, 0 means unlimited. */
export function LimitsForm({
  organization,
  runner,
}: {
  organization: PlatformOrganization
  runner: PlatformMethodRunner
}) {
  const [stored] = useState({
    site: asText(organization.overrides.site),
    server: asText(organization.overrides.server),
  })
  const control = useForm(form, {
    initial: stored,
    save: async (payload) => {
      const params = {
        organization: organization.name,
        site: payload['site'] ?? null,
        server: payload['server'] ?? null,
      }
      const failure = await runner.run('set_limits', params, t('limits.done'), true)
      if (failure !== null) throw new ApiError(failure)
    },
  })
  /** A limit as entered; the method validates it. */
  const limit = (name: 'site' | 'server') => String(control.values[name] ?? '').trim() || null
  const changed = form.names.some((name) => String(control.values[name] ?? '').trim() !== stored[name as 'site'])
  return (
    <DocForm control={control} label={t('limits.title')} className="grid gap-3">
      <div className="grid gap-3 md:grid-cols-2">
        <FormField control={control} name="site" placeholder={t('limits.plan')} />
        <FormField control={control} name="server" placeholder={t('limits.plan')} />
      </div>
      <FormFailure control={control} />
      <div className="flex flex-wrap items-center gap-1">
        <Button type="submit" busy={control.busy} disabled={!changed}>
          {t('limits.save')}
        </Button>
        <CopyMethodButton
          action={t('limits.save')}
          method="set_limits"
          params={{ organization: organization.name, site: limit('site'), server: limit('server') }}
        />
      </div>
    </DocForm>
  )
}
