import { DenialReason } from '#web/documents/errors/denial-reason.tsx'
import { Navigate } from '#web/lib/routing/router.tsx'
import type { Job } from '#shared/doctypes/job.ts'
import type { ApiError } from '#web/lib/api/api-error.ts'
import { useList } from '#web/lib/api/frappe.tsx'
import { localizedText } from '#web/lib/i18n/localized-text.tsx'
import { ButtonLink } from '#web/ui/button.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { ScreenSpinner } from '#web/ui/screen-spinner.tsx'
import { t } from './messages.ts'
import type { SiteNotice } from './site-notice.tsx'

const noticeFields = ['name', 'status', 'job_type', 'outcome', 'outcome_i18n', 'reference_title'] as const

const isCreation = (type: string) => type === 'site.create' || type === 'wpc_site.create'
const isDeletion = (type: string) => type === 'site.delete' || type === 'wpc_site.delete_permanently'

/** Notice for the list about a site that was removed by its last job; null if it wasn't. */
export function missingSiteNotice(job: Pick<Job, (typeof noticeFields)[number]>): SiteNotice | null {
  const notice = (text: string): SiteNotice =>
    job.outcome ? { ...localizedText(job.outcome, job.outcome_i18n), job: job.name } : { text, job: job.name }
  if (isCreation(job.job_type) && job.status === 'Cancelled') return notice(t('site.canceled'))
  if (isDeletion(job.job_type) && job.status === 'Done')
    return notice(t('site.deleted', { title: job.reference_title ?? '' }))
  return null
}

/**
 * Shown if a site doesn't exist. If its own job removed it (a canceled creation, a deletion), redirects to the list with a
 * notice; otherwise shows an error here.
 */
export function SiteNotFound({ name, error, onRetry }: { name: string; error: ApiError; onRetry: () => unknown }) {
  const missing = error.httpStatus === 404
  const jobs = useList(missing ? 'Job' : null, {
    fields: noticeFields,
    filters: [
      ['reference_doctype', 'in', ['Site', 'WPC Site']],
      ['reference_name', '=', name],
    ],
    order_by: 'creation desc',
    limit: 1,
  })
  if (!missing) {
    return (
      <ErrorPanel page title={t('site.error_title')} error={error} onRetry={onRetry}>
        {error.httpStatus === 403 ? <p>{t('site.denied')}</p> : null}
        <DenialReason error={error} doctype="Site" name={name} />
      </ErrorPanel>
    )
  }
  const job = jobs.data?.[0]
  const notice = job ? missingSiteNotice(job) : null
  const list = job?.job_type.startsWith('wpc_site.') ? '/site/wp-cloud' : '/site'
  if (notice) return <Navigate replace to={list} state={{ site_notice: notice }} />
  // The site is deleted just before its job is saved as ended, so wait for the job's next change.
  if (jobs.isLoading || job?.status === 'Cancelling' || job?.status === 'Running') return <ScreenSpinner />
  return (
    <EmptyState page title={t('site.missing_title')} action={<ButtonLink to="/site">{t('site.back')}</ButtonLink>}>
      {t('site.missing')}
    </EmptyState>
  )
}
