import { lazy, Suspense, useEffect } from 'react'
import { useWatch } from 'react-hook-form'
import { useNavigate } from 'react-router'
import { SiteBackupDoctype } from '#shared/doctypes/site-backup.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { startedRestore } from '#shared/responses/backups.ts'
import { restoredKeptDays, type backupWhats, type restoreTargets } from '#shared/rules/backups.ts'
import { displayName } from '#shared/rules/display-name.ts'
import { engineCapabilities } from '#web/documents/actions/action-responses.ts'
import { useActionRunner } from '#web/documents/actions/use-actions.ts'
import { runAction } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { useCount, useMethod } from '#web/lib/api/frappe.tsx'
import { formatAbsolute, formatNumber } from '#web/lib/i18n/format.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { t as common } from '#web/lib/i18n/messages.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { RadioCard, RadioCards } from '#web/ui/form/radio-card.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { Segmented } from '#web/ui/form/segmented.tsx'
import { useApiForm } from '#web/ui/form/use-api-form.ts'
import { LazyBoundary } from '#web/ui/lazy-boundary.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { useEligibleServers } from '../eligible-servers.ts'
import { NewNameField } from '../new-name/new-name-field.tsx'
import { siteNameProblem, siteNamesOf } from '../site-form.ts'
import type { BackupRow } from './backup-columns.tsx'
import { t } from './messages.ts'

const formId = 'restore-backup'

/** What is restored in place. */
type What = (typeof backupWhats)[number] | 'parts'

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
  const { run, runOrToast } = useActionRunner(SiteBackupDoctype)
  const engine = useMethod(
    site === null ? null : 'easydash.api.engine.capabilities',
    { server: site?.server },
    { returns: engineCapabilities },
  )
  const can = engine.data?.capabilities
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
      target: isReplaceable ? wanted : 'new_site',
      what: 'all' as What,
      parts: [] as readonly string[],
      domain: '',
      server: site?.server ?? '',
      confirm_name: '',
    },
    send: async ({ target: wish, what, parts, domain, server }) => {
      if (wish === 'in_place' && obstacle === null) {
        await run(backup, 'restore', { target: wish, ...(what === 'parts' ? { parts } : { what }) })
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
  const servers = useEligibleServers(server ?? '')
  const names = siteNamesOf(servers.chosen?.engine ?? site?.engine)
  const target = obstacle === null ? chosen : 'new_site'
  const { setValue } = form
  useEffect(() => {
    if (chosen !== target) setValue('target', 'new_site')
  }, [chosen, target, setValue])
  // Of a site that is gone, nothing is chosen yet: its server, if that is still there.
  const first = servers.found.data?.find(({ value }) => value === backup.server) ?? servers.found.data?.[0]
  useEffect(() => {
    if (server === '' && first) setValue('server', first.value)
  }, [server, first, setValue])
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
            disabled={!isNew && (typed !== confirmed || (what === 'parts' && parts.length === 0))}
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
              description={t('restore.in_place_hint')}
              disabledReason={obstacle}
              value="in_place"
              {...form.register('target')}
            />
            <RadioCard
              title={t('restore.new_site')}
              description={t('restore.new_site_hint')}
              value="new_site"
              {...form.register('target')}
            />
          </RadioCards>
        )}
        {isNew || site === null ? (
          <>
            {servers.shown.length > 1 ? (
              <Field label={t('restore.server')} error={form.errorOf('server')}>
                <Select {...form.register('server')}>
                  {servers.shown.map(({ value, label }) => (
                    <option key={value} value={value}>
                      {label ?? value}
                    </option>
                  ))}
                </Select>
              </Field>
            ) : null}
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
            <Segmented
              label={t('restore.what')}
              options={choicesFor(site)}
              value={what}
              onChange={(value) => form.setValue('what', value)}
            />
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
            <Losses
              site={site}
              backup={backup}
              what={what}
              onProve={
                isRehearsed
                  ? null
                  : async () => {
                      if ((await runOrToast(backup, 'prove')) !== null) onClose()
                    }
              }
            />
            <Field label={common('common.type_to_confirm', { name: confirmed })} error={form.errorOf('confirm_name')}>
              <Input autoComplete="off" autoCapitalize="off" spellCheck={false} {...form.register('confirm_name')} />
            </Field>
          </>
        )}
      </form>
    </Dialog>
  )
}

const hasDatabase = (site: Site): boolean => site.site_type === 'wp' || site.with_database === 1

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

/** What a restore in place takes from the site, and what is kept of it. */
function Losses({
  site,
  backup,
  what,
  onProve,
}: {
  site: Site
  backup: BackupRow
  what: What
  /** Tries the backup out instead; null where a restore does that itself. */
  onProve: (() => Promise<void>) | null
}) {
  const since = useCount('Activity', {
    filters: [
      ['reference_doctype', '=', 'Site'],
      ['reference_name', '=', site.name],
      ['superseded', '=', 0],
      // Backing up changes nothing.
      ['action', '!=', 'site.backup'],
      ['creation', '>=', backup.taken_at ?? backup.creation ?? ''],
    ],
  }).data
  return (
    <div className="grid gap-2 text-table">
      <Notice tone="warn">
        <p>{t(!hasDatabase(site) && what !== 'parts' ? 'restore.lose_plain' : `restore.lose_${what}`)}</p>
        <p aria-live="polite">
          {since === undefined
            ? null
            : since === Infinity
              ? t('restore.since_many', { count: formatNumber(since) })
              : t('restore.since', { count: since })}
        </p>
      </Notice>
      {backup.proof === 'Proven' ? null : <p>{t(onProve === null ? 'restore.unproven' : 'restore.unproven_server')}</p>}
      {backup.proof === 'Proven' || onProve === null ? null : (
        <div>
          <Button size="sm" onClick={() => void onProve()}>
            {t('restore.prove_first')}
          </Button>
        </div>
      )}
      <p className="text-muted">{t('restore.kept', { days: restoredKeptDays })}</p>
    </div>
  )
}
