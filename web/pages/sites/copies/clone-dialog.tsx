import { siteName } from '#shared/rules/display-name.ts'
import type { ComponentProps } from 'react'
import { useWatch } from 'react-hook-form'
import { useNavigate } from 'react-router'
import type { Site } from '#shared/doctypes/site.ts'
import { clonedSite } from '#shared/responses/copies.ts'
import { stagingNameOf } from '#shared/rules/site-name.ts'
import { useOpenJob } from '#web/documents/jobs/job-link.ts'
import { runAction } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { useApiForm } from '#web/ui/form/use-api-form.ts'
import { Notice } from '#web/ui/notice.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { useServersBeside } from '../eligible-servers.ts'
import { NewNameField } from '../new-name/new-name-field.tsx'
import { ServerField } from '../server-search.tsx'
import { siteNameProblem, siteNamesOf } from '../site-form.ts'
import { t } from './messages.ts'

const formId = 'clone-site'

/** Clones a site, or makes a staging site of it; then opens the page of the new one with the job's drawer. */
export function CloneDialog({
  site,
  isStaging = false,
  onClose,
}: {
  site: Site
  isStaging?: boolean
  onClose: () => void
}) {
  const session = useSession()
  const navigate = useNavigate()
  const openJob = useOpenJob()
  const isWordPress = site.site_type === 'wp' && !isStaging
  const names = siteNamesOf(site.engine)
  const form = useApiForm({
    defaultValues: {
      domain: isStaging ? stagingNameOf(site.domain, names) : '',
      title: site.title ?? site.domain,
      server: '',
    },
    fallbackField: 'domain',
    send: async ({ domain, title, server }) => {
      const args = isStaging ? { domain } : { domain, server, ...(isWordPress ? { title } : {}) }
      const action = isStaging ? 'create_staging' : 'clone'
      const made = checkedResult(clonedSite, await runAction('Site', site.name, action, args))
      // The plan's usage changed; the next page doesn't wait for it.
      void session.refresh()
      onClose()
      // Nothing is there yet while the job waits for another one.
      if (made.name === undefined) openJob(made.job)
      else void navigate(`/site/${encodeURIComponent(made.name)}?job=${encodeURIComponent(made.job)}`)
    },
  })
  const { domain: name = '', server = '' } = useWatch({ control: form.control })
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !form.busy) onClose()
      }}
      title={t(isStaging ? 'clone.staging_title' : 'clone.title', { site: siteName(site) })}
      description={hintFor(site, isStaging)}
      footer={
        <>
          <Button onClick={onClose}>{t('clone.cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" busy={form.busy}>
            {t(isStaging ? 'clone.staging_confirm' : 'clone.confirm')}
          </Button>
        </>
      }
    >
      <form {...form.props} id={formId} className="grid gap-4">
        {form.failure ? <Notice tone="bad">{form.failure}</Notice> : null}
        <NewNameField
          names={names}
          name={name}
          error={form.errorOf('domain')}
          field={form.register('domain', { validate: (text) => siteNameProblem(text, names) ?? true })}
          onName={(text) => {
            form.clearErrors('domain')
            form.setValue('domain', text)
          }}
        />
        {isWordPress ? (
          <Field
            label={t('clone.site_title')}
            hint={t('clone.site_title_hint', { site: siteName(site) })}
            error={form.errorOf('title')}
          >
            <Input autoComplete="off" {...form.register('title')} />
          </Field>
        ) : null}
        {/* A staging site is beside its source. */}
        {isStaging ? null : (
          <ServerChoice
            site={site}
            server={server}
            error={form.errorOf('server')}
            onChoose={(chosen) => form.setValue('server', chosen)}
            fieldFor={(validate) => form.register('server', { validate })}
          />
        )}
      </form>
    </Dialog>
  )
}

/** The servers that have the engine of the site. */
function ServerChoice({
  site,
  server,
  error,
  onChoose,
  fieldFor,
}: {
  site: Site
  server: string
  onChoose: (name: string) => void
  fieldFor: (validate: () => true | string) => ComponentProps<typeof ServerField>['field']
} & Pick<ComponentProps<typeof ServerField>, 'error'>) {
  const servers = useServersBeside(site.server, server, onChoose, site.engine)
  const { isGone, isUnchosen } = servers
  return (
    <ServerField
      label={t('clone.server')}
      hint={isGone ? t('clone.server_gone') : undefined}
      error={error}
      servers={servers}
      value={server}
      unchosen={isUnchosen ? t('clone.server_choose') : undefined}
      field={fieldFor(() => !isUnchosen || t('clone.server_choose'))}
    />
  )
}

function hintFor(site: Site, isStaging: boolean): string {
  const { engine, site_type: kind } = site
  if (isStaging)
    return t(engine === 'ee' ? 'clone.staging_hint_server' : 'clone.staging_hint', { site: siteName(site) })
  if (engine === 'ee') return t('clone.hint_server')
  return kind === 'html' ? t('clone.hint_files') : t('clone.hint', { site: siteName(site) })
}
