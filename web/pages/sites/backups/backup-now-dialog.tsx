import { siteName } from '#shared/rules/display-name.ts'
import { backupActions } from '#shared/doctypes/site-actions/backups.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import type { Field } from '#shared/fields.ts'
import { useActionRunner } from '#web/documents/actions/use-actions.ts'
import { FormField } from '#web/documents/form/form-field.tsx'
import { DocForm, FormFailure } from '#web/documents/form/form.tsx'
import { useForm } from '#web/documents/form/use-form.ts'
import { storeChoices, storeText, useStores } from '#web/features/backups/use-stores.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { t } from './messages.ts'

const formId = 'backup-now-form'
const names = ['note', 'pinned', 'store'] as const
const fields: Readonly<Record<(typeof names)[number], Field>> = backupActions.backup.args
const form = { fields, names }

/** Asks where a backup goes and what it is called, and makes it. */
export function BackupNowDialog({ site, onClose }: { site: Site; onClose: () => void }) {
  const { run } = useActionRunner(SiteDoctype)
  const { data: stores } = useStores(site.organization)
  const choices = storeChoices(stores)
  const control = useForm(form, {
    initial: {},
    async save(values) {
      await run({ ...site, doctype: 'Site' }, 'backup', values)
      onClose()
    },
  })
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !control.busy) onClose()
      }}
      title={t('now.title', { site: siteName(site) })}
      footer={
        <>
          <Button onClick={onClose}>{t('now.cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" busy={control.busy}>
            {t('now.confirm')}
          </Button>
        </>
      }
    >
      <DocForm id={formId} control={control} className="grid gap-4">
        <FormField control={control} name="note" />
        <FormField control={control} name="pinned" />
        {choices ? (
          <FormField
            control={control}
            name="store"
            choices={choices}
            none={t('now.default_store', { store: storeText(stores?.default, stores) })}
            hint=""
            verbatim
          />
        ) : null}
        <FormFailure control={control} />
      </DocForm>
    </Dialog>
  )
}
