import { WpcSiteDoctype, type WpcSite } from '#shared/doctypes/wpc-site.ts'
import { text } from '#shared/fields.ts'
import { useActionRunner } from '#web/documents/actions/use-actions.ts'
import { FormField } from '#web/documents/form/form-field.tsx'
import type { FormDescription } from '#web/documents/form/form-state.ts'
import { DocForm, FormFailure } from '#web/documents/form/form.tsx'
import { useForm } from '#web/documents/form/use-form.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { aliasesOf } from './site-texts.ts'
import { t } from './messages.ts'

const form: FormDescription = { fields: { value: text({ label: t('domains.aliases_label') }) }, names: ['value'] }

/** Asks for all aliases of a site, one per line. */
export function AliasesDialog({ site, onClose }: { site: WpcSite; onClose: () => void }) {
  const { run } = useActionRunner(WpcSiteDoctype)
  const control = useForm(form, {
    initial: { value: aliasesOf(site).join('\n') },
    async save({ value }) {
      const domains = String(value ?? '')
        .toLowerCase()
        .split(/[\s,]+/)
        .filter((one) => one !== '')
      await run({ ...site, doctype: 'WPC Site' }, 'set_aliases', { value: domains })
      onClose()
    },
  })
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !control.busy) onClose()
      }}
      title={`${t('domains.aliases')} · ${site.domain}`}
      footer={
        <>
          <Button onClick={onClose}>{t('domains.cancel')}</Button>
          <Button type="submit" form="wpc-aliases" variant="primary" busy={control.busy}>
            {t('domains.save')}
          </Button>
        </>
      }
    >
      <DocForm id="wpc-aliases" control={control} className="grid gap-4">
        <FormField control={control} name="value" hint={t('domains.aliases_hint')} />
        <FormFailure control={control} />
      </DocForm>
    </Dialog>
  )
}
