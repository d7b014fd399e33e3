import { useId, useState } from 'react'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { permalinkPresets, permalinkProblem } from '#shared/rules/wordpress-settings.ts'
import { EditFields, EditFrame } from '#web/documents/form/edit-form.tsx'
import { FormField } from '#web/documents/form/form-field.tsx'
import { useEditForm, type EditControl } from '#web/documents/form/use-edit-form.ts'
import { undoButton } from '#web/documents/actions/undo-button.ts'
import { useActions, type GatedAction } from '#web/documents/actions/use-actions.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { putData, refetch } from '#web/lib/api/data-client.ts'
import { messageText } from '#web/lib/i18n/catalog.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { StillLoading } from '#web/ui/still-loading.tsx'
import { wordpressSettingNames } from '#shared/rules/wordpress-settings.ts'
import { AddLanguageDialog } from './add-language-dialog.tsx'
import { languageLabel } from './language-label.ts'
import { t } from './messages.ts'
import {
  knownSettings,
  pick,
  savedNames,
  saveWordPressSettings,
  settingsKey,
  SettingsDoctype,
  useWordPressSettings,
  type SettingsDoc,
} from './wordpress-settings.ts'

/**
 * The settings of WordPress, read from the site and saved together. While a job works on the site, which may not answer then, those
 * that it had before, which can't be changed.
 */
export function WordPressCard({ site, gate }: { site: Site; gate: GatedAction['gate'] }) {
  const waits = Boolean(site.locked_by_job)
  const settings = useWordPressSettings(site, { known: waits })
  if (settings.data) return <SettingsForm key={site.name} site={site} settings={settings.data} waits={waits} />
  if (waits) return <NoSettings reason={t('wp.waits')} />
  if (!gate.enabled) return <NoSettings reason={gate.reason} />
  if (settings.error)
    return <ErrorPanel title={t('wp.error_title')} error={settings.error} onRetry={() => settings.reload()} />
  return (
    <Card aria-label={t('wp.title')} aria-busy="true">
      <CardHead title={t('wp.title')} />
      <CardBody className="grid gap-4">
        <StillLoading slow={settings.isSlow} />
        {wordpressSettingNames.map((name) => (
          <Skeleton key={name} className="h-14 w-full" />
        ))}
      </CardBody>
    </Card>
  )
}

/** In place of the settings. */
function NoSettings({ reason }: { reason: string }) {
  return (
    <Card>
      <CardHead title={t('wp.title')} />
      <CardBody>
        <p className="text-table text-muted">{reason}</p>
      </CardBody>
    </Card>
  )
}

/** The fields above permalinks, which have buttons below them. */
const fieldsAbove = wordpressSettingNames.filter((name) => name !== 'permalinks' && name !== 'search_engines')

function SettingsForm({ site, settings, waits }: { site: Site; settings: SettingsDoc; waits: boolean }) {
  const titleId = useId()
  const waitsId = useId()
  const control = useEditForm(SettingsDoctype, settings, wordpressSettingNames, {
    checks: {
      permalinks: (value) => {
        const problem = permalinkProblem(value)
        return problem && messageText(problem)
      },
    },
    async save(changes, before) {
      try {
        const after = await saveWordPressSettings(site, changes, before)
        showToast({
          title: t('wp.saved'),
          variant: 'success',
          action: undoButton({
            undo: async () =>
              putData(settingsKey(site.name), await saveWordPressSettings(site, pick(before, changes), after)),
            done: t('wp.restored'),
            failed: t('wp.not_restored'),
          }),
        })
        return after
      } catch (error) {
        // Some may be saved all the same. Of what somebody else changed, the form then shows both values.
        await refetch(settingsKey(site.name))
        control.forget(savedNames(toApiError(error), { changes, before, now: knownSettings(site) }))
        throw error
      }
    },
  })
  const [isAdding, setAdding] = useState(false)
  const canAdd = useActions(SiteDoctype, { ...site, doctype: 'Site' }).some(
    ({ name, gate }) => name === 'install_language' && gate.enabled,
  )
  const { timezones, languages, pages } = settings
  const withCurrent = (choices: readonly string[], current: string) =>
    choices.includes(current) ? choices : [current, ...choices]
  return (
    <>
      <EditFrame control={control} label={t('wp.form')} disabledBy={waits ? waitsId : null}>
        <Card aria-labelledby={titleId}>
          <CardHead id={titleId} title={t('wp.title')} subtitle={waits ? undefined : t('wp.now')}>
            {canAdd && !waits ? (
              <Button size="md" type="button" onClick={() => setAdding(true)}>
                {t('language.add')}
              </Button>
            ) : null}
          </CardHead>
          <CardBody className="grid gap-4">
            {waits ? (
              <p id={waitsId} className="-mt-2 text-table">
                {t('wp.known')}
              </p>
            ) : null}
            <EditFields
              control={control}
              names={fieldsAbove}
              fields={{
                language: {
                  choices: withCurrent(languages, settings.language).map((value) => ({
                    value,
                    label: languageLabel(value),
                  })),
                  verbatim: true,
                },
                timezone: {
                  choices: withCurrent(timezones, settings.timezone).map((value) => ({
                    value,
                    label: value.replaceAll('_', ' '),
                  })),
                  verbatim: true,
                },
                start_page: {
                  none: t('wp.start_posts'),
                  choices: pages.map(({ id, title }) => ({ value: id, label: title || t('wp.page_untitled', { id }) })),
                  verbatim: true,
                },
                admin_email: { hint: t('wp.email_hint') },
              }}
            />
            <div className="grid gap-1.5">
              <FormField control={control} name="permalinks" />
              <PermalinkPresets control={control} />
            </div>
            <FormField control={control} name="search_engines" hint={t('wp.search_hint')} />
          </CardBody>
        </Card>
      </EditFrame>
      {isAdding ? (
        <AddLanguageDialog
          site={site}
          installed={languages}
          onAdded={(language, next) => {
            void putData(settingsKey(site.name), next)
            control.set('language', language)
            showToast({
              title: t('language.added', { language: languageLabel(language) }),
              description: t('language.added_hint'),
              variant: 'success',
            })
          }}
          onClose={() => setAdding(false)}
        />
      ) : null}
    </>
  )
}

/** Buttons that put a usual structure into the field; not its hint, which an error replaces. */
function PermalinkPresets({ control }: { control: EditControl }) {
  return (
    <div
      role="group"
      aria-label={t('wp.permalinks_examples')}
      className="flex flex-wrap items-center gap-1 text-meta text-muted"
    >
      <span>{t('wp.permalinks_hint')}</span>
      {permalinkPresets.map(({ structure, example }) => (
        <Button
          key={structure}
          size="sm"
          variant="ghost"
          type="button"
          aria-pressed={control.values['permalinks'] === structure}
          onClick={() => control.set('permalinks', structure)}
        >
          {structure === '' ? t('wp.permalinks_plain') : <span translate="no">{example}</span>}
        </Button>
      ))}
    </div>
  )
}
