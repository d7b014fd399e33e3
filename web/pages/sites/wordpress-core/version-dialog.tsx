import { useState } from 'react'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { wordpressVersions, type WordPressVersions } from '#shared/responses/wordpress-core.ts'
import { compareVersions, isStableVersion } from '#shared/rules/wordpress-versions.ts'
import { useActionRunner } from '#web/documents/actions/use-actions.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { Button } from '#web/ui/button.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { useApiForm } from '#web/ui/form/use-api-form.ts'
import { Notice } from '#web/ui/notice.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { t } from './messages.ts'

const formId = 'change-wordpress-version'

/** Chooses a version of WordPress; the drawer of its job opens. `wanted` is preselected. */
export function VersionDialog({
  site,
  installed,
  wanted,
  onClose,
}: {
  site: Site
  installed: string
  wanted: string
  onClose: () => void
}) {
  const { run } = useActionRunner(SiteDoctype)
  const [version, setVersion] = useState(wanted)
  const read = useMethod(
    'run_doc_method',
    { dt: 'Site', dn: site.name, method: 'wordpress_versions' },
    { verb: 'POST', returns: wordpressVersions },
  )
  const form = useApiForm({
    defaultValues: {},
    send: async () => {
      if (chosen === undefined) return
      await run(site, 'set_core', { version: chosen.version })
      onClose()
    },
  })
  const known = read.data
  const chosen = known?.offers.find((offer) => offer.version === version) ?? known?.offers[0]
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !form.busy) onClose()
      }}
      title={t('version.title')}
      description={t('version.hint')}
      footer={
        <>
          <Button onClick={onClose}>{t('version.cancel')}</Button>
          {chosen === undefined ? null : (
            <Button type="submit" form={formId} variant="primary" busy={form.busy}>
              {confirmLabel(chosen.version, installed)}
            </Button>
          )}
        </>
      }
    >
      {read.error && !known ? (
        <ErrorPanel
          className="flex items-start gap-3"
          title={t('version.error')}
          error={read.error}
          onRetry={() => read.reload()}
        />
      ) : known && chosen ? (
        <form {...form.props} id={formId} className="grid gap-3">
          {form.failure ? <Notice tone="bad">{form.failure}</Notice> : null}
          <Field label={t('version.label')} hint={known.reached ? undefined : t('version.offline')}>
            <Select value={chosen.version} onChange={(event) => setVersion(event.target.value)}>
              {known.offers.map((offer) => (
                <option key={offer.version} value={offer.version}>
                  {optionLabel(offer, installed)}
                </option>
              ))}
            </Select>
          </Field>
          <Consequence offer={chosen} installed={installed} />
          <p className="text-table text-muted">{t('version.kept')}</p>
        </form>
      ) : (
        <div role="status" aria-label={t('version.loading')}>
          <Skeleton className="h-24 w-full" />
        </div>
      )}
    </Dialog>
  )
}

type Offer = WordPressVersions['offers'][number]

function Consequence({ offer, installed }: { offer: Offer; installed: string }) {
  if (offer.version === installed) return <Notice tone="info">{t('version.same')}</Notice>
  if (isOlder(offer.version, installed)) return <Notice tone="warn">{t('version.older')}</Notice>
  return offer.stored ? null : <p className="text-table text-muted">{t('version.downloaded')}</p>
}

const isOlder = (version: string, installed: string) =>
  isStableVersion(installed) && compareVersions(version, installed) < 0

function optionLabel({ version, state }: Offer, installed: string): string {
  if (version === installed) return t('version.option_installed', { version })
  if (state === 'latest') return t('version.option_latest', { version })
  return state === 'insecure' ? t('version.option_insecure', { version }) : version
}

function confirmLabel(version: string, installed: string): string {
  if (version === installed) return t('version.reinstall')
  return isOlder(version, installed) ? t('version.change', { version }) : t('version.update', { version })
}
