import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { useActionRunner } from '#web/documents/actions/use-actions.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Textarea } from '#web/ui/form/input.tsx'
import { useApiForm } from '#web/ui/form/use-api-form.ts'
import { Notice } from '#web/ui/notice.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { t } from './ssl-messages.ts'

const formId = 'custom-certificate'

/** Takes a certificate with its private key, which only the server of the site keeps. */
export function CustomCertificateDialog({ site, onClose }: { site: Site; onClose: () => void }) {
  const { run } = useActionRunner(SiteDoctype)
  const form = useApiForm<{ certificate: string; key: string }>({
    defaultValues: { certificate: '', key: '' },
    send: async (pair) => {
      await run(site, 'set_certificate', { ...pair })
      onClose()
    },
  })
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !form.busy) onClose()
      }}
      title={t('ssl.custom_title')}
      description={t('ssl.custom_hint')}
      footer={
        <>
          <Button onClick={onClose}>{t('ssl.cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" busy={form.busy}>
            {t('ssl.install')}
          </Button>
        </>
      }
    >
      <form {...form.props} id={formId} className="grid gap-3">
        {form.failure ? <Notice tone="bad">{form.failure}</Notice> : null}
        <Field label={t('ssl.certificate')} hint={t('ssl.certificate_hint')} error={form.errorOf('certificate')}>
          <Textarea
            {...form.register('certificate', { required: t('ssl.required') })}
            className="font-mono"
            spellCheck={false}
          />
        </Field>
        <Field label={t('ssl.key')} hint={t('ssl.key_hint')} error={form.errorOf('key')}>
          <Textarea
            {...form.register('key', { required: t('ssl.required') })}
            className="font-mono"
            spellCheck={false}
            autoComplete="off"
          />
        </Field>
      </form>
    </Dialog>
  )
}
