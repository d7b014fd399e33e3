import { SiteQuotaDoctype, type SiteQuotaDoc } from '#shared/doctypes/site-quota.ts'
import { siteTypeLabels } from '#shared/doctypes/site.ts'
import { quotaNames } from '#shared/rules/site-quotas.ts'
import { FormField } from '#web/documents/form/form-field.tsx'
import { doctypeForm } from '#web/documents/form/form-state.ts'
import { useForm } from '#web/documents/form/use-form.ts'
import { updateDoc } from '#web/lib/api/api.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { EditDialog } from './edit-dialog.tsx'
import { t } from './messages.ts'

/** Fields the dialog reads. */
export const quotaFields = ['name', 'site_type', 'disk_mb', 'files', 'log_mb', 'outbox_mb', 'modified'] as const

/** The fields of a quota needed here. */
export type EditedQuota = Pick<SiteQuotaDoc, (typeof quotaFields)[number]>

const form = doctypeForm(SiteQuotaDoctype, [...quotaNames])

/** Quotas of one site type. Empty means no quota. */
export function QuotaDialog({
  quota,
  onClose,
  onSaved,
}: {
  quota: EditedQuota
  onClose: () => void
  onSaved: () => Promise<void>
}) {
  const type = translateText(siteTypeLabels[quota.site_type])
  const control = useForm(form, {
    initial: Object.fromEntries(quotaNames.map((name) => [name, String(quota[name] ?? 0)])),
    save: async (payload) => {
      const values = Object.fromEntries(quotaNames.map((name) => [name, payload[name] ?? 0]))
      await updateDoc('Site Quota', quota.name, { ...values, modified: quota.modified })
      showToast({ title: t('quotas.saved', { type }), variant: 'success' })
      await onSaved()
    },
  })
  return (
    <EditDialog
      control={control}
      title={t('quotas.edit_title', { type })}
      hint={t('quotas.edit_hint')}
      save={t('quotas.save')}
      onClose={onClose}
    >
      <div className="grid gap-4 md:grid-cols-2">
        {quotaNames.map((name) => (
          <FormField key={name} control={control} name={name} />
        ))}
      </div>
    </EditDialog>
  )
}
