import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { FailedJobButtons, useFailedJob } from '#web/documents/jobs/failed-job.tsx'
import { formatDay, parseTime } from '#web/lib/i18n/format-day.ts'
import { LocalizedText } from '#web/lib/i18n/localized-text.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { t } from './messages.ts'
import { ProblemTimes } from '#web/documents/values/problem.tsx'
import { hasFailed, siteProblem } from './site-problem.ts'
import { archiveEnds } from './site-summary.ts'
import { WorkingPanel } from './working-panel.tsx'

/** Current state at the top of a site's page: work in progress, a failure with its remedy, or the archive. */
export function SiteStatePanel({ site }: { site: Site }) {
  if (site.status === 'Failed') return <FailedPanel site={site} />
  if (site.status === 'Archived') return <ArchivedPanel site={site} />
  if (site.locked_by_job) return <WorkingPanel job={site.locked_by_job} />
  if (site.status === 'Suspended') return <SuspendedPanel site={site} />
  if (hasFailed(site)) return <DownPanel site={site} />
  if (site.status !== 'Live') return null
  return (
    <>
      <FullPanel site={site} />
      {site.maintenance ? <MaintenancePanel site={site} /> : null}
    </>
  )
}

function FailedPanel({ site }: { site: Site }) {
  const job = useFailedJob('Site', site.name)
  return (
    <Notice tone="bad" title={t('site.failed_title')} className="mb-4">
      <p className="mt-0.5">
        {site.failure_reason === null ? (
          t('site.failed_none')
        ) : (
          <LocalizedText text={site.failure_reason} i18n={site.failure_reason_i18n} />
        )}
      </p>
      <ProblemTimes {...siteProblem(site)} />
      <div className="mt-3 flex flex-wrap gap-2">
        <FailedJobButtons job={job} />
        <ActionButton type={SiteDoctype} doc={{ ...site, doctype: 'Site' }} name="delete_permanently" size="md" />
      </div>
    </Notice>
  )
}

function DownPanel({ site }: { site: Site }) {
  return (
    <Notice tone="bad" title={t('site.down_title')} className="mb-4">
      <p className="mt-0.5">
        {site.failure_reason === null ? (
          t('site.down_none')
        ) : (
          <LocalizedText text={site.failure_reason} i18n={site.failure_reason_i18n} />
        )}
      </p>
      <p className="mt-0.5">{t('site.down_next')}</p>
      <ProblemTimes {...siteProblem(site)} />
    </Notice>
  )
}

function MaintenancePanel({ site }: { site: Site }) {
  return (
    <Notice tone="info" title={t('site.maintenance_title')} className="mb-4">
      <p className="mt-0.5">{t(site.site_type === 'wp' ? 'site.maintenance_text' : 'site.maintenance_text_plain')}</p>
    </Notice>
  )
}

function SuspendedPanel({ site }: { site: Site }) {
  return (
    <Notice tone="warn" title={t('site.suspended_title')} className="mb-4">
      <p className="mt-0.5">
        {site.failure_reason === null ? (
          t('site.suspended')
        ) : (
          <LocalizedText text={site.failure_reason} i18n={site.failure_reason_i18n} />
        )}
      </p>
      {/* One that its quota stopped starts again by itself. */}
      {site.suspended_at ? (
        <div className="mt-3">
          <ActionButton
            type={SiteDoctype}
            doc={{ ...site, doctype: 'Site' }}
            name="resume"
            variant="primary"
            size="md"
          />
        </div>
      ) : null}
    </Notice>
  )
}

/** Warns before users lose work in a site that can't save anything new, or not of one kind. */
function FullPanel({ site }: { site: Site }) {
  const state = site.storage?.state
  if (!state || state === 'ok' || state === 'suspended') return null
  return (
    <Notice tone="warn" title={t(`site.${state}_title`)} className="mb-4">
      <p className="mt-0.5">{t(`site.${state}`)}</p>
    </Notice>
  )
}

function ArchivedPanel({ site }: { site: Site }) {
  const at = parseTime(site.archived_at)
  const ends = archiveEnds(at)
  const doc = { ...site, doctype: 'Site' }
  return (
    <Notice tone="info" title={at ? t('site.archived_title', { date: formatDay(at) }) : site.status} className="mb-4">
      <p className="mt-0.5">{ends ? t('site.archived', { date: formatDay(ends) }) : t('site.archived_plain')}</p>
      <div className="mt-3 flex flex-wrap gap-2">
        <ActionButton type={SiteDoctype} doc={doc} name="restore_archive" variant="primary" size="md" />
        <ActionButton type={SiteDoctype} doc={doc} name="delete_permanently" size="md" />
      </div>
    </Notice>
  )
}
