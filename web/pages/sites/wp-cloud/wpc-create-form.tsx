import { useEffect, useEffectEvent, useId } from 'react'
import { useNavigate } from 'react-router'
import { WpcSiteDoctype, type WpcSite } from '#shared/doctypes/wpc-site.ts'
import { int } from '#shared/fields.ts'
import { checkFormat } from '#shared/rules/formats.ts'
import { wpcSpaceGb } from '#shared/rules/wp-cloud.ts'
import { wpcOptions } from '#shared/responses/wpc-sites.ts'
import type { FormDescription } from '#web/documents/form/form-state.ts'
import { FormField } from '#web/documents/form/form-field.tsx'
import { DocForm, DraftNote, FormFailure } from '#web/documents/form/form.tsx'
import { useForm } from '#web/documents/form/use-form.ts'
import { createDoc } from '#web/lib/api/api.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { messageText } from '#web/lib/i18n/catalog.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { StickyAction } from '#web/ui/page-head.tsx'
import { FormSection } from '../form-section.tsx'
import { adminUserFrom } from '../site-form.ts'
import { t } from './messages.ts'
import { phpChoices } from './wpc-configurations-tab.tsx'

const { fields } = WpcSiteDoctype

const form: FormDescription = {
  fields: {
    ...fields,
    admin_user: { ...fields.admin_user, label: 'Admin user', reqd: true },
    admin_email: { ...fields.admin_email, label: 'Admin email', reqd: true },
    space_quota: int({ min: wpcSpaceGb.min, max: wpcSpaceGb.max, default: wpcSpaceGb.billed, reqd: true }),
  },
  names: ['domain', 'data_center', 'php_version', 'space_quota', 'admin_user', 'admin_email'],
  checks: {
    domain: (value) => {
      const problem = checkFormat('domain', value)
      return problem && messageText(problem)
    },
  },
}

/** Creates a site at WP Cloud, then opens its page with the job's drawer. */
export function WpcCreateForm() {
  const { email, organization, refresh } = useSession()
  const navigate = useNavigate()
  const formId = useId()
  const options = useMethod(
    'easydash.easydash.doctype.wpc_site.wpc_site.get_options',
    {},
    { verb: 'POST', returns: wpcOptions },
  )
  const control = useForm(form, {
    draftKey: 'wpc-site-create',
    initial: { admin_email: email, admin_user: adminUserFrom(email) },
    async save(payload) {
      const site = await createDoc<WpcSite & { job?: string }>('WPC Site', {
        ...payload,
        space_quota: `${payload['space_quota']}G`,
        organization: organization?.name,
      })
      // The plan's usage changed; the next page doesn't wait for it.
      void refresh()
      const job = site.job ?? site.locked_by_job
      void navigate(`/site/${encodeURIComponent(site.name)}${job ? `?job=${encodeURIComponent(job)}` : ''}`)
    },
  })
  const standard = options.data?.php_versions.find((one) => one.is_default)?.version
  const choose = useEffectEvent((version: string) => {
    if (!control.values['php_version']) control.preset('php_version', version)
  })
  useEffect(() => {
    if (standard !== undefined) choose(standard)
  }, [standard])
  // Without an account there is nothing to choose.
  if (options.error?.field === 'connection')
    return (
      <div className="rounded-card border border-border bg-surface">
        <EmptyState
          title={t('create.no_connection')}
          action={<ButtonLink to="/organization#cloud_providers">{t('create.connect')}</ButtonLink>}
        >
          {t('create.no_connection_text')}
        </EmptyState>
      </div>
    )
  const places = (options.data?.data_centers ?? []).map((code) => ({ value: code, label: code }))
  return (
    <>
      <DocForm id={formId} control={control} label={t('create.site')} className="min-w-0 max-w-4xl">
        {options.error ? (
          <Notice tone="warn" title={t('create.options_error')} className="mb-4">
            {options.error.message}
          </Notice>
        ) : null}
        <FormSection title={t('create.site')} hint={t('create.site_hint')}>
          <FormField
            control={control}
            name="domain"
            hint={t('create.domain_hint')}
            clean={(value) => value.trim().toLowerCase()}
            autoComplete="off"
          />
        </FormSection>
        <FormSection title={t('create.resources')} hint={t('create.resources_hint')}>
          <div className="grid grid-cols-3 gap-4 max-md:grid-cols-1">
            <FormField
              control={control}
              name="data_center"
              label={t('create.place')}
              choices={places}
              none={t('create.anywhere')}
              verbatim
            />
            <FormField
              control={control}
              name="php_version"
              choices={phpChoices(options.data?.php_versions ?? [])}
              verbatim
            />
            <FormField
              control={control}
              name="space_quota"
              label={t('create.storage')}
              hint={t('create.storage_hint')}
            />
          </div>
        </FormSection>
        <FormSection title={t('create.administrator')}>
          <div className="grid grid-cols-2 gap-4 max-md:grid-cols-1">
            <FormField control={control} name="admin_user" clean={(value) => value.toLowerCase()} autoComplete="off" />
            <FormField control={control} name="admin_email" autoComplete="email" />
          </div>
          <p className="text-table text-muted">{t('create.billed')}</p>
        </FormSection>
        <FormFailure control={control} />
      </DocForm>
      <div className="flex items-center gap-4 max-md:hidden">
        <Button type="submit" form={formId} variant="primary" busy={control.busy}>
          {t('create.submit')}
        </Button>
        <DraftNote control={control} />
      </div>
      <StickyAction>
        <Button type="submit" form={formId} variant="primary" busy={control.busy}>
          {t('create.submit')}
        </Button>
      </StickyAction>
    </>
  )
}
