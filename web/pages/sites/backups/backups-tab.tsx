import { useMemo, useState } from 'react'
import type { FilterTriple } from '#shared/doctype.ts'
import { SiteBackupDoctype } from '#shared/doctypes/site-backup.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { restoredKeptDays } from '#shared/rules/backups.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { usePermissions } from '#web/documents/actions/use-actions.ts'
import { dayFilters, readDay } from '#web/documents/activity/activity-dates.ts'
import { rowDoc } from '#web/documents/bulk/bulk-choices.ts'
import { storeText, useStores } from '#web/features/backups/use-stores.ts'
import { ScheduleCard } from '#web/features/backups/schedule-card.tsx'
import { useSmallList } from '#web/lib/api/frappe.tsx'
import { formatDay, parseTime } from '#web/lib/i18n/format-day.ts'
import { formatAbsolute, formatBytes, formatRelative } from '#web/lib/i18n/format.ts'
import { useSearchParams } from '#web/lib/routing/router.tsx'
import { Button } from '#web/ui/button.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { WorkingPanel } from '../working-panel.tsx'
import { BackupCalendar } from './backup-calendar.tsx'
import { backupColumns } from './backup-columns.tsx'
import { BackupList } from './backup-list.tsx'
import { BackupNowDialog } from './backup-now-dialog.tsx'
import { BackupSummary } from './backup-summary.tsx'
import { EasyEngineBackupDialog } from './easyengine-backup-dialog.tsx'
import { t } from './messages.ts'

/** The backups of a site: what they are worth, and what can be done with them. */
export function BackupsTab({ site }: { site: Site }) {
  const siteJob = site.locked_by_job ?? null
  const [isAsking, setAsking] = useState(false)
  const [isByEasyEngine, setByEasyEngine] = useState(false)
  const { data: stores } = useStores(site.organization)
  // What is offered for many backups is for who can change their site.
  const rights = usePermissions('Site', site.name).data?.permissions
  const columns = useMemo(() => backupColumns(siteJob, (store) => storeText(store, stores)), [siteJob, stores])
  const [params, setParams] = useSearchParams()
  const day = readDay(params.get('day'))
  const scope = useMemo<readonly FilterTriple[]>(
    () => [['site', '=', site.name], ...dayFilters({ from: day, to: day })],
    [site.name, day],
  )
  const showDay = (next: string | null) =>
    setParams((current) => {
      const wanted = new URLSearchParams(current)
      wanted.delete('page')
      if (next) wanted.set('day', next)
      else wanted.delete('day')
      return wanted
    })
  const backUp = (
    <ActionButton
      type={SiteDoctype}
      doc={{ ...site, doctype: 'Site' }}
      name="backup"
      label={t('backups.now')}
      variant="primary"
      size="md"
      onStart={() => setAsking(true)}
    />
  )
  return (
    <>
      {siteJob ? <WorkingPanel job={siteJob} /> : null}
      <UndoNotice site={site} />
      <div className="mb-6 grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_18rem]">
        <div className="min-w-0">
          <BackupSummary site={site} />
          <ScheduleCard organization={site.organization} site={site} />
        </div>
        <BackupCalendar site={site.name} day={day} onDay={showDay} />
      </div>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <div className="flex flex-wrap items-center gap-2">
          <h2>{day ? t('calendar.of_day', { day: formatDay(day) }) : t('backups.title')}</h2>
          {day ? (
            <Button size="sm" onClick={() => showDay(null)}>
              {t('calendar.all')}
            </Button>
          ) : null}
        </div>
        <div className="flex flex-wrap items-start gap-2">
          <ActionButton
            type={SiteDoctype}
            doc={{ ...site, doctype: 'Site' }}
            name="easyengine_backup"
            size="md"
            onStart={() => setByEasyEngine(true)}
          />
          {backUp}
        </div>
      </div>
      <BackupList
        site={site}
        scope={scope}
        columns={columns}
        storeOf={(store) => storeText(store, stores)}
        selectable={rights?.write !== 0}
      />
      {isAsking ? <BackupNowDialog site={site} onClose={() => setAsking(false)} /> : null}
      {isByEasyEngine ? <EasyEngineBackupDialog site={site} onClose={() => setByEasyEngine(false)} /> : null}
    </>
  )
}

/** After a restore: what it was, and the way back. Nothing if its backup was deleted, with which the way back is gone. */
function UndoNotice({ site }: { site: Site }) {
  const { data } = useSmallList(site.restored_from ? 'Site Backup' : null, {
    // With the site, whose shares decide about who can undo it.
    fields: ['name', 'owner', 'site', 'status', 'site_domain', 'locked_by_job'],
    filters: [['name', '=', site.restored_from ?? '']],
    limit: 1,
  })
  const backup = data?.[0]
  if (!site.restored_from || !backup) return null
  const restored = site.restored_at ? parseTime(site.restored_at) : null
  const until = restored && new Date(restored.getTime() + restoredKeptDays * 86_400_000)
  return (
    <Notice tone="info" title={t('undo.title')} className="mb-4">
      <p className="mt-0.5">
        {t('undo.text', { when: formatRelative(site.restored_at), until: formatAbsolute(until) })}{' '}
        {site.restored_kept_size ? t('undo.size', { size: formatBytes(site.restored_kept_size) }) : null}
      </p>
      <div className="mt-3 empty:hidden">
        <ActionButton
          type={SiteBackupDoctype}
          doc={rowDoc(SiteBackupDoctype, backup)}
          name="undo_restore"
          label={t('undo.button')}
          size="md"
        />
      </div>
    </Notice>
  )
}
