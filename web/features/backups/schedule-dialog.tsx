import { BackupScheduleDoctype } from '#shared/doctypes/backup-schedule.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import type { Field } from '#shared/fields.ts'
import { displayName } from '#shared/rules/display-name.ts'
import { FormField } from '#web/documents/form/form-field.tsx'
import { checkField, type FormDescription } from '#web/documents/form/form-state.ts'
import { DocForm, FormFailure } from '#web/documents/form/form.tsx'
import { useForm } from '#web/documents/form/use-form.ts'
import { createDoc, updateDoc } from '#web/lib/api/api.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { currentTimeZone } from '#shared/rules/time-zones.ts'
import { timeZoneChoices } from '#web/lib/i18n/time-zone-choices.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { t } from './messages.ts'
import { RetentionPreview, useRetentionPreview } from './retention-preview.tsx'
import { storeChoices, storeText, useStores } from './use-stores.ts'
import { keepNames, retentionOf, type ScheduleRow } from './schedule-text.ts'

const formId = 'backup-schedule-form'
const hours = ['window_from', 'window_until'] as const
/** Fields that can be empty: those of the organization, or at any time. */
const emptied = ['store', ...hours] as const
const ofSite = [
  ...(['enabled', 'every', 'at', 'time_zone', 'spread'] as const),
  ...emptied,
  ...(['before_changes', 'prove_on_server'] as const),
  ...keepNames,
] as const
const names = [...ofSite, 'per_server'] as const
const described: Readonly<Record<(typeof names)[number], Field>> = BackupScheduleDoctype.fields
const siteForm: FormDescription = {
  // An emptied field would keep what is stored.
  fields: Object.fromEntries(
    names.map((name) => [name, { ...described[name], reqd: !emptied.some((one) => one === name) }]),
  ),
  names: ofSite,
  // Sites with a schedule of their own are limited, too.
  hidden: (name, { enabled }) => name !== 'enabled' && name !== 'per_server' && enabled !== 1,
}
const organizationForm: FormDescription = { ...siteForm, names }
const browserZone = currentTimeZone(new Intl.DateTimeFormat().resolvedOptions().timeZone)

/** Changes a schedule, or makes one with what held so far. */
export function ScheduleDialog({
  organization,
  site,
  own,
  shown,
  onSaved,
  onClose,
}: {
  organization: string
  /** Null: that of the organization. */
  site: Site | null
  own: ScheduleRow | undefined
  /** What the form begins with. */
  shown: ScheduleRow | undefined
  onSaved: () => Promise<void>
  onClose: () => void
}) {
  const { data: stores } = useStores(organization)
  const choices = storeChoices(stores)
  const form = site ? siteForm : organizationForm
  const control = useForm(form, {
    initial: {
      time_zone: browserZone,
      ...(shown && Object.fromEntries((site ? ofSite : names).map((name) => [name, shown[name] ?? null]))),
    },
    async save(filled) {
      const empty = Object.fromEntries(emptied.map((name) => [name, null]))
      const values = filled['enabled'] === 1 ? { ...empty, ...filled } : filled
      if (own) await updateDoc('Backup Schedule', own.name, { ...values, modified: own.modified })
      else await createDoc('Backup Schedule', { organization, ...(site && { site: site.name }), ...values })
      showToast({ title: t('form.saved'), variant: 'success' })
      await onSaved()
      onClose()
    },
  })
  const { values } = control
  const isOn = values['enabled'] === 1
  const isValid = isOn && keepNames.every((name) => checkField(form, name, values) === null)
  const numbers = Object.fromEntries(keepNames.map((name) => [name, Number(values[name])]))
  const preview = useRetentionPreview(
    site ? { site: site.name } : { organization },
    isValid ? { ...retentionOf(numbers), time_zone: String(values['time_zone'] ?? browserZone) } : null,
  )
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !control.busy) onClose()
      }}
      title={
        site ? t('form.title', { name: displayName(SiteDoctype, site) ?? site.domain }) : t('schedule.title_default')
      }
      width="md:w-[560px]"
      footer={
        <>
          <Button onClick={onClose}>{t('form.cancel')}</Button>
          <Button
            type="submit"
            form={formId}
            variant="primary"
            busy={control.busy}
            disabled={preview?.pending ?? false}
          >
            {t('form.save')}
          </Button>
        </>
      }
    >
      <DocForm id={formId} control={control}>
        <FormField control={control} name="enabled" label={t('form.enabled')} />
        {isOn ? (
          <>
            <div className="grid gap-4 md:grid-cols-2">
              <FormField control={control} name="every" />
              <FormField control={control} name="at" />
            </div>
            <FormField
              control={control}
              name="time_zone"
              choices={timeZoneChoices(shown?.time_zone ?? browserZone)}
              verbatim
            />
            <FormField control={control} name="spread" />
            <div className="grid gap-4 md:grid-cols-2">
              {hours.map((name) => (
                <FormField key={name} control={control} name={name} />
              ))}
            </div>
            {choices ? (
              <FormField
                control={control}
                name="store"
                choices={choices}
                none={t('form.default_store', { store: storeText(stores?.default, stores) })}
                verbatim
              />
            ) : null}
            <FormField control={control} name="before_changes" />
            {site?.engine === 'local' ? null : <FormField control={control} name="prove_on_server" />}
            <fieldset className="grid gap-2" aria-describedby="backup-retention-hint">
              <legend className="mb-1 text-table font-medium">{t('form.keep')}</legend>
              <div className="grid grid-cols-2 gap-3 md:grid-cols-5">
                {keepNames.map((name) => (
                  <FormField key={name} control={control} name={name} />
                ))}
              </div>
              <p id="backup-retention-hint" className="text-meta text-muted">
                {t('form.keep_hint')} {site === null ? t('form.default_hint') : null}
              </p>
            </fieldset>
          </>
        ) : null}
        {site ? null : <FormField control={control} name="per_server" />}
        <RetentionPreview preview={preview} />
        <FormFailure control={control} />
      </DocForm>
    </Dialog>
  )
}
