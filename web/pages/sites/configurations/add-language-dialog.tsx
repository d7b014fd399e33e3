import { useState } from 'react'
import type { Site } from '#shared/doctypes/site.ts'
import { languageOffers } from '#shared/responses/wordpress-languages.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { Button } from '#web/ui/button.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { useApiForm } from '#web/ui/form/use-api-form.ts'
import { Notice } from '#web/ui/notice.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { languageLabel } from './language-label.ts'
import { t } from './messages.ts'
import { installLanguage, type SettingsDoc } from './wordpress-settings.ts'

const formId = 'add-language'

/** Chooses a translation of WordPress and adds it to the site. `installed`: locales that the site has. */
export function AddLanguageDialog({
  site,
  installed,
  onAdded,
  onClose,
}: {
  site: Site
  installed: readonly string[]
  onAdded: (language: string, settings: SettingsDoc) => void
  onClose: () => void
}) {
  const [chosen, setChosen] = useState('')
  const read = useMethod(
    'run_doc_method',
    { dt: 'Site', dn: site.name, method: 'language_offers' },
    { verb: 'POST', returns: languageOffers },
  )
  const choices = (read.data?.languages ?? [])
    .filter(({ locale }) => !installed.includes(locale))
    .map(({ locale, native }) => ({ locale, label: languageLabel(locale), native }))
    .sort((a, b) => a.label.localeCompare(b.label))
  const language = chosen === '' ? (choices[0]?.locale ?? '') : chosen
  const form = useApiForm({
    defaultValues: {},
    send: async () => {
      onAdded(language, await installLanguage(site, language))
      onClose()
    },
  })
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !form.busy) onClose()
      }}
      title={t('language.title')}
      description={t('language.hint')}
      footer={
        <>
          <Button onClick={onClose}>{t('language.cancel')}</Button>
          {choices.length === 0 ? null : (
            <Button type="submit" form={formId} variant="primary" busy={form.busy}>
              {t('language.confirm')}
            </Button>
          )}
        </>
      }
    >
      {read.error && !read.data ? (
        <ErrorPanel
          className="flex items-start gap-3"
          title={t('language.error')}
          error={read.error}
          onRetry={() => read.reload()}
        />
      ) : read.data === undefined ? (
        <Skeleton className="h-14 w-full" />
      ) : choices.length === 0 ? (
        <EmptyState title={t(read.data.reached ? 'language.all' : 'language.offline')}>
          {read.data.reached ? null : t('language.offline_hint')}
        </EmptyState>
      ) : (
        <form {...form.props} id={formId} className="grid gap-3">
          {form.failure ? <Notice tone="bad">{form.failure}</Notice> : null}
          <Field label={t('language.label')}>
            <Select translate="no" value={language} onChange={(event) => setChosen(event.target.value)}>
              {choices.map(({ locale, label, native }) => (
                <option key={locale} value={locale}>
                  {native === label ? label : `${label} – ${native}`}
                </option>
              ))}
            </Select>
          </Field>
        </form>
      )}
    </Dialog>
  )
}
