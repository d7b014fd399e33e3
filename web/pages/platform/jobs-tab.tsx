import { JobDoctype } from '#shared/doctypes/job.ts'
import { jobsPage, type PlatformJob } from '#shared/responses/platform.ts'
import { useLocation } from 'react-router'
import { Link } from '#web/lib/routing/router.tsx'
import { jobStatuses } from '#shared/rules/job-statuses.ts'
import { DocStatus } from '#web/documents/values/cells.tsx'
import { methodListCurl } from '#web/documents/actions/copy-as.ts'
import { jobSearch } from '#web/documents/jobs/job-link.ts'
import type { RowColumn } from '#web/documents/list/column-rows.tsx'
import { valueLabel } from '#web/documents/query/list-query.ts'
import { statusLabel } from '#web/documents/values/status-tones.ts'
import { formatDuration, formatNumber, secondsBetween } from '#web/lib/i18n/format.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { jobLabel } from '#web/documents/jobs/job-label.ts'
import { localizedText } from '#web/lib/i18n/localized-text.tsx'
import { Time } from '#web/ui/time.tsx'
import { platformMethod } from './methods.ts'
import { PagedList } from './paged-list.tsx'
import { pageParams, useTabQuery } from './tab-query.ts'
import { t } from './messages.ts'

/** Jobs of all organizations; a row opens the job's drawer. */
export function JobsTab() {
  const { search, hash } = useLocation()
  const [query, change] = useTabQuery('jobs', ['status'])
  // The exact name of one organization: the method compares, it doesn't search.
  const organization = query.text.trim().toLowerCase()
  const params = { ...(organization !== '' && { organization }), ...pageParams(query) }
  const list = useMethod(platformMethod('jobs'), params, {
    keepPrevious: true,
    refreshInterval: 5000,
    returns: jobsPage,
  })
  const columns: readonly RowColumn<PlatformJob>[] = [
    {
      key: 'label',
      head: t('jobs.job'),
      cell: (row) => (
        <Link to={{ search: jobSearch(search, row.name), hash }} className="hover:underline">
          {jobLabel(row) || row.job_type}
        </Link>
      ),
    },
    { key: 'organization', head: t('jobs.organization'), cell: (row) => row.organization },
    {
      key: 'status',
      head: t('jobs.status'),
      cell: (row) => (
        <span title={localizedText(row.error_message, row.error_message_i18n).text || undefined}>
          <DocStatus inset doctype="Job" value={row.status} />
        </span>
      ),
    },
    { key: 'owner', head: t('jobs.by'), wide: true, cell: (row) => valueLabel(JobDoctype, 'owner', row.owner) },
    {
      key: 'took',
      head: t('jobs.took'),
      right: true,
      cell: (row) => formatDuration(secondsBetween(row.started, row.ended)) || t('common.none'),
    },
    {
      key: 'creation',
      head: t('jobs.created'),
      cell: (row) => <Time value={row.creation} className="text-muted" />,
    },
  ]
  const counts = list.data?.counts
  return (
    <PagedList
      label={t('platform.jobs')}
      query={query}
      onChange={change}
      loaded={list}
      rows={list.data?.jobs}
      total={list.data?.total ?? 0}
      rowKey={(row) => row.name}
      columns={columns}
      command={() => methodListCurl(platformMethod('jobs'), params, location.origin)}
      search={t('jobs.search')}
      filters={[
        {
          name: 'status',
          label: t('jobs.status'),
          options: jobStatuses.map((status) => ({
            value: status,
            label: counts
              ? t('jobs.status_count', {
                  status: statusLabel('Job', 'status', status),
                  n: formatNumber(counts[status] ?? 0),
                })
              : statusLabel('Job', 'status', status),
          })),
        },
      ]}
      errorTitle={t('jobs.error')}
      empty={{ title: t('jobs.empty_title'), text: t('jobs.empty') }}
    />
  )
}
