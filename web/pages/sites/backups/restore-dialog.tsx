import { lazy, Suspense, useEffect } from 'react'
import { useWatch } from 'react-hook-form'
import { useNavigate } from 'react-router'
import { SiteBackupDoctype } from '#shared/doctypes/site-backup.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { startedRestore } from '#shared/responses/backups.ts'
import type { restoreTargets } from '#shared/rules/backups.ts'
import { displayName } from '#shared/rules/display-name.ts'
import { engineCapabilities } from '#web/documents/actions/action-responses.ts'
import { useActionRunner } from '#web/documents/actions/use-actions.ts'
import { runAction } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { formatAbsolute } from '#web/lib/i18n/format.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { t as common } from '#web/lib/i18n/messages.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { Button } from '#web/ui/button.tsx'
import { Checkbox } from '#web/ui/form/checkbox.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { RadioCard, RadioCards } from '#web/ui/form/radio-card.tsx'
import { Segmented } from '#web/ui/form/segmented.tsx'
import { useApiForm } from '#web/ui/form/use-api-form.ts'
import { LazyBoundary } from '#web/ui/lazy-boundary.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { useServersBeside } from '../eligible-servers.ts'
import { NewNameField } from '../new-name/new-name-field.tsx'
import { ServerField } from '../server-search.tsx'
import { siteNameProblem, siteNamesOf } from '../site-form.ts'
import type { BackupRow } from './backup-columns.tsx'
import { t } from './messages.ts'
import { hasDatabase, RestoreLosses, type What } from './restore-losses.tsx'

const formId = 'restore-backup'

const PartChooser = lazy(() => import('./part-chooser.tsx').then((module) => ({ default: module.PartChooser })))

/** States in which a site can be restored in place. */
const replaceable = new Set<Site['status']>(['Live', 'Failed'])

/** Asks where a backup goes, says what the site loses by that, and restores it. Without a site, it becomes a new one. */
export function RestoreDialog({
  site,
  backup,
  target: wanted,
  onClose,
}: {
  site: Site | null
  backup: BackupRow
  /** What is chosen at first. */
  target: (typeof restoreTargets)[number]
  onClose: () => void
}) {
  const { refresh } = useSession()
  const navigate = useNavigate()
  const { run } = useActionRunner(SiteBackupDoctype)
  const engine = useMethod(
    site === null ? null : 'easydash.api.engine.capabilities',
    { server: site?.server },
    { returns: engineCapabilities },
  )
  const can = engine.data?.capabilities
  // EasyEngine puts back what it keeps.
  const isImported = backup.kind === 'imported'
  const isReplaceable = site !== null && replaceable.has(site.status)
  const obstacle =
    can?.['restore']?.supported === false
      ? translateText(can['restore'].reason)
      : isReplaceable
        ? null
        : t('restore.in_place_not')
  // Engines of servers put a backup in place without trying it out before.
  const isRehearsed = can?.['rehearse']?.supported !== false
  const confirmed = backup.site_domain ?? ''
  const form = useApiForm({
    defaultValues: {
      target: isReplaceable || isImported ? wanted : 'new_site',
      what: 'all' as What,
      parts: [] as readonly string[],
      backup_first: true,
      domain: '',
      server: '',
      confirm_name: '',
    },
    send: async ({ target: wish, what, parts, domain, server, backup_first: first }) => {
      if (wish === 'in_place' && obstacle === null) {
        const backupFirst = isImported ? {} : { backup_first: first ? 1 : 0 }
        await run(backup, 'restore', { target: wish, ...(what === 'parts' ? { parts } : { what }), ...backupFirst })
        onClose()
        return
      }
      const args = { target: 'new_site', domain, ...(server === '' ? {} : { server }) }
      const made = checkedResult(startedRestore, await runAction('Site Backup', backup.name, 'restore', args))
      // The plan's usage changed; the next page doesn't wait for it.
      void refresh()
      onClose()
      void navigate(`/site/${encodeURIComponent(made.site)}?job=${encodeURIComponent(made.job)}`)
    },
  })
  const {
    target: chosen,
    what = 'all',
    parts = [],
    domain,
    server,
    confirm_name: typed,
  } = useWatch({ control: form.control })
  const { setValue } = form
  // A new site is on the server of the backup.
  const servers = useServersBeside(site?.server ?? backup.server ?? '', server ?? '', (name) =>
    setValue('server', name),
  )
  const { isUnchosen } = servers
  const chosenEngine = useMethod(
    server === '' ? null : 'easydash.api.engine.capabilities',
    { server },
    { returns: engineCapabilities },
  )
  const names = chosenEngine.data?.site_names ?? siteNamesOf(servers.chosen?.engine ?? site?.engine)
  const target = obstacle === null || isImported ? chosen : 'new_site'
  useEffect(() => {
    if (chosen !== target) setValue('target', 'new_site')
  }, [chosen, target, setValue])
  const isNew = target === 'new_site'
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !form.busy) onClose()
      }}
      title={t('restore.title', { site: (site && displayName(SiteDoctype, site)) ?? confirmed })}
      description={t('restore.from', { when: formatAbsolute(backup.taken_at ?? backup.creation) })}
      footer={
        <>
          <Button onClick={onClose}>{t('restore.cancel')}</Button>
          <Button
            type="submit"
            form={formId}
            variant={isNew ? 'primary' : 'danger'}
            busy={form.busy}
            disabled={
              isNew
                ? server === '' && !isUnchosen
                : (isImported && obstacle !== null) || typed !== confirmed || (what === 'parts' && parts.length === 0)
            }
          >
            {t(isNew ? 'restore.confirm_new' : 'restore.confirm')}
          </Button>
        </>
      }
    >
      <form {...form.props} id={formId} className="grid gap-4">
        {form.failure ? <Notice tone="bad">{form.failure}</Notice> : null}
        {site === null ? null : (
          <RadioCards legend={t('restore.where')} className="md:grid-cols-2">
            <RadioCard
              title={t('restore.in_place')}
              description={t(isImported ? 'restore.all_imported' : 'restore.in_place_hint')}
              disabledReason={obstacle}
              value="in_place"
              {...form.register('target')}
            />
            <RadioCard
              title={t('restore.new_site')}
              description={t('restore.new_site_hint')}
              disabledReason={isImported ? t('restore.only_in_place') : null}
              value="new_site"
              {...form.register('target')}
            />
          </RadioCards>
        )}
        {isNew || site === null ? (
          <>
            <ServerField
              label={t('restore.server')}
              hint={servers.isGone ? t('restore.server_gone') : undefined}
              error={form.errorOf('server')}
              servers={servers}
              value={server ?? ''}
              unchosen={isUnchosen ? t('restore.server_choose') : undefined}
              field={form.register('server', { validate: () => !isUnchosen || t('restore.server_choose') })}
            />
            <NewNameField
              names={names}
              name={domain ?? ''}
              error={form.errorOf('domain')}
              field={form.register('domain', {
                validate: (text) => (isNew ? siteNameProblem(text, names) : null) ?? true,
              })}
              onName={(text) => {
                form.clearErrors('domain')
                form.setValue('domain', text)
              }}
            />
          </>
        ) : (
          <>
            {isImported ? null : (
              <Segmented
                label={t('restore.what')}
                options={choicesFor(site)}
                value={what}
                onChange={(value) => form.setValue('what', value)}
              />
            )}
            {what === 'parts' ? (
              <LazyBoundary level="part">
                <Suspense fallback={<Skeleton className="h-56" />}>
                  <PartChooser
                    backup={backup.name}
                    isWordPress={site.site_type === 'wp'}
                    withTables={site.site_type === 'wp'}
                    parts={parts}
                    error={form.errorOf('parts')}
                    onChange={(next) => form.setValue('parts', next)}
                  />
                </Suspense>
              </LazyBoundary>
            ) : null}
            <RestoreLosses site={site} backup={backup} what={what} isRehearsed={isRehearsed} onProve={onClose} />
            {isImported ? null : (
              <Checkbox label={t('restore.first')} hint={t('restore.first_hint')} {...form.register('backup_first')} />
            )}
            <Field label={common('common.type_to_confirm', { name: confirmed })} error={form.errorOf('confirm_name')}>
              <Input autoComplete="off" autoCapitalize="off" spellCheck={false} {...form.register('confirm_name')} />
            </Field>
          </>
        )}
      </form>
    </Dialog>
  )
}

function choicesFor(site: Site): { value: What; label: string }[] {
  return [
    { value: 'all', label: t('restore.all') },
    ...(hasDatabase(site)
      ? [
          { value: 'files' as const, label: t('restore.files') },
          { value: 'database' as const, label: t('restore.database') },
        ]
      : []),
    { value: 'parts', label: t('restore.parts') },
  ]
}
