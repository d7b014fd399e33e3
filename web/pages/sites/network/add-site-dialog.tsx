import type { Site } from '#shared/doctypes/site.ts'
import { isNetworkPath } from '#shared/rules/multisite.ts'
import { runAction } from '#web/lib/api/api.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { useApiForm } from '#web/ui/form/use-api-form.ts'
import { Notice } from '#web/ui/notice.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { t } from './messages.ts'

const formId = 'add-network-site'

/** Adds a site to a network. */
export function AddSiteDialog({ site, onClose, onDone }: { site: Site; onClose: () => void; onDone: () => void }) {
  const form = useApiForm({
    defaultValues: { path: '', title: '' },
    send: async (values) => {
      await runAction('Site', site.name, 'add_network_site', values)
      onDone()
    },
  })
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !form.busy) onClose()
      }}
      title={t('network.add_title')}
      description={t('network.add_hint')}
      footer={
        <>
          <Button onClick={onClose}>{t('network.close')}</Button>
          <Button type="submit" form={formId} variant="primary" busy={form.busy}>
            {t('network.add_confirm')}
          </Button>
        </>
      }
    >
      <form {...form.props} id={formId} className="grid gap-4">
        {form.failure ? <Notice tone="bad">{form.failure}</Notice> : null}
        <Field
          required
          label={t('network.path')}
          hint={t('network.path_hint', { url: `${site.url ?? ''}/…/` })}
          error={form.errorOf('path')}
        >
          <Input
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            {...form.register('path', { validate: (text) => isNetworkPath(text) || t('network.path_wrong') })}
          />
        </Field>
        <Field required label={t('network.site_title')} error={form.errorOf('title')}>
          <Input
            autoComplete="off"
            maxLength={100}
            {...form.register('title', { required: t('network.title_missing') })}
          />
        </Field>
      </form>
    </Dialog>
  )
}
