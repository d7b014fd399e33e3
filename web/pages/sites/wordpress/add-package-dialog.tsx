import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { isPackageSlug } from '#shared/rules/wordpress-changes.ts'
import { useActionRunner } from '#web/documents/actions/use-actions.ts'
import { formatBytes, formatPercent } from '#web/lib/i18n/format.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { useApiForm } from '#web/ui/form/use-api-form.ts'
import { Notice } from '#web/ui/notice.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { t } from './messages.ts'
import { PackageDrop } from './package-drop.tsx'
import { installLabel, PackageQuestion } from './package-question.tsx'
import { usePackageUpload, type PackageUpload } from './use-package-upload.ts'

const formId = 'add-wordpress-package'
const uploadId = 'add-uploaded-package'
const examples = { plugin: 'wordpress-seo', theme: 'astra' } as const

/** Installs a plugin or theme from a ZIP file or from wordpress.org; the drawer of its job opens. */
export function AddPackageDialog({
  site,
  type,
  onClose,
}: {
  site: Site
  type: 'plugin' | 'theme'
  onClose: () => void
}) {
  const { run } = useActionRunner(SiteDoctype)
  const { upload, send, cancel, taken } = usePackageUpload(site.name)
  const named = useApiForm({
    defaultValues: { slug: '' },
    fallbackField: 'slug',
    send: async ({ slug }) => {
      await run(site, type === 'plugin' ? 'install_plugin' : 'install_theme', { slug })
      onClose()
    },
  })
  const uploaded = useApiForm({
    defaultValues: {},
    send: async () => {
      if (upload.step !== 'ready') return
      const { package: id, installed } = upload.about
      await run(site, 'install_package', { package: id, replace: installed === null ? 0 : 1 })
      taken()
      onClose()
    },
  })
  const busy = named.busy || uploaded.busy
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !busy) onClose()
      }}
      title={t(type === 'plugin' ? 'add.plugin_title' : 'add.theme_title')}
      description={t('add.hint')}
      footer={
        upload.step === 'choose' ? (
          <>
            <Button onClick={onClose}>{t('users.close')}</Button>
            <Button type="submit" form={formId} variant="primary" busy={named.busy}>
              {t('add.confirm')}
            </Button>
          </>
        ) : (
          <>
            <Button onClick={cancel}>{t(upload.step === 'sending' ? 'package.cancel' : 'package.other')}</Button>
            {upload.step === 'ready' ? (
              <Button type="submit" form={uploadId} variant="primary" busy={uploaded.busy}>
                {installLabel(upload.about, type)}
              </Button>
            ) : null}
          </>
        )
      }
    >
      {upload.step === 'choose' ? (
        <div className="grid gap-4">
          {upload.problem === null ? null : (
            <Notice tone="bad" title={t('package.refused')}>
              {upload.problem}
            </Notice>
          )}
          {/* The site is asked what the file contains, which a job keeps busy. */}
          {site.locked_by_job ? (
            <Notice tone="info">{t('package.busy')}</Notice>
          ) : (
            <PackageDrop onFiles={(files) => void send(files)} />
          )}
          <form {...named.props} id={formId} className="grid gap-4">
            {named.failure ? <Notice tone="bad">{named.failure}</Notice> : null}
            <Field
              required
              label={t('add.slug')}
              hint={t('add.slug_hint', { example: examples[type] })}
              error={named.errorOf('slug')}
            >
              <Input
                autoComplete="off"
                autoCapitalize="off"
                spellCheck={false}
                {...named.register('slug', { validate: (text) => isPackageSlug(text) || t('add.slug_missing') })}
              />
            </Field>
          </form>
        </div>
      ) : upload.step === 'sending' ? (
        <Sending upload={upload} />
      ) : (
        <form {...uploaded.props} id={uploadId} className="grid gap-3">
          {uploaded.failure ? <Notice tone="bad">{uploaded.failure}</Notice> : null}
          <PackageQuestion about={upload.about} wanted={type} />
        </form>
      )}
    </Dialog>
  )
}

function Sending({ upload: { file, sent } }: { upload: Extract<PackageUpload, { step: 'sending' }> }) {
  const share = file.size === 0 ? 1 : sent / file.size
  return (
    <div className="grid gap-2 text-table">
      <p className="flex flex-wrap gap-x-3">
        <bdi translate="no" className="min-w-0 flex-1 basis-40 truncate font-medium">
          {file.name}
        </bdi>
        <span role="status" className="text-muted">
          {share >= 1
            ? t('package.checking')
            : t('package.sending', { percent: formatPercent(share * 100), size: formatBytes(file.size) })}
        </span>
      </p>
      <progress className="h-1 w-full" aria-label={t('package.progress')} max={Math.max(1, file.size)} value={sent} />
    </div>
  )
}
