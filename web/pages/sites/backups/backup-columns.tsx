import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import type { ListColumn } from '#web/documents/list/list-columns.ts'
import { valueLabel } from '#web/documents/query/list-query.ts'
import { DocStatus, Nothing } from '#web/documents/values/cells.tsx'
import { linkTitleKey } from '#web/documents/query/list-request.ts'
import type { RowOf } from '#web/lib/api/list-rows.ts'
import { formatBytes } from '#web/lib/i18n/format.ts'
import { Tag } from '#web/ui/chip.tsx'
import { Time } from '#web/ui/time.tsx'
import { countsText } from './backup-texts.ts'
import { t } from './messages.ts'

/** A backup as the list reads it. */
export type BackupRow = RowOf<SiteBackup>

/** Whether the job that holds a backup opens it. */
export const isOpening = ({ locked_by_job: job, opened_by_job: opener }: Partial<SiteBackup>): boolean =>
  Boolean(job) && job === opener

/** States in which there is an archive. */
const stored = new Set<SiteBackup['status']>(['Ready', 'Restoring'])

/** The verdict about a backup; while a job is at it, a link to that. One that opens it changes no verdict. */
export function Proof({ backup }: { backup: Partial<SiteBackup> }) {
  const { status, proof } = backup
  const job = isOpening(backup) ? null : backup.locked_by_job
  if (!status || !stored.has(status)) return <Nothing />
  const value = job && status === 'Ready' ? 'Testing' : (proof ?? 'Not Tested')
  return <DocStatus doctype="Site Backup" field="proof" value={value} job={job ?? null} />
}

/** The site of a backup: what it is called, unless it is gone, and the address that it had. */
export const siteColumn: ListColumn<BackupRow> = {
  field: 'site_domain',
  label: t('list.site'),
  card: true,
  also: [`site.title as ${linkTitleKey('site')}`],
  render: (row) => {
    const [title, domain] = [row[linkTitleKey('site')], row.site_domain]
    if (!domain) return <Nothing />
    return (
      <span translate="no" className="grid">
        {title && title !== domain ? <span>{String(title)}</span> : null}
        <span className={title && title !== domain ? 'text-meta text-muted' : ''}>{domain}</span>
      </span>
    )
  },
}

/**
 * Columns of the backups of a site. `siteJob`: the job that holds the site, which is the one that makes or restores a backup; `storeOf`:
 * the name of a store for people.
 */
export function backupColumns(
  siteJob: string | null,
  storeOf: (store: string | null | undefined) => string,
): readonly ListColumn<BackupRow>[] {
  return [
    {
      field: 'creation',
      label: t('list.when'),
      also: ['taken_at', 'note', 'pinned', 'opened_by_job', 'site', 'site_type', 'server'],
      title: (row) => <Time value={row.taken_at ?? row.creation} />,
      render: ({ note }) =>
        note ? (
          <span translate="no" className="inline-block max-w-44 truncate align-bottom" title={note}>
            {note}
          </span>
        ) : null,
      badge: ({ pinned }) => (pinned === 1 ? <Tag>{t('list.pinned')}</Tag> : null),
    },
    { field: 'kind', render: ({ kind }) => valueLabel(SiteBackupDoctype, 'kind', kind ?? '') },
    {
      field: 'counts',
      label: t('list.contents'),
      from: 'desktop',
      render: ({ counts }) => {
        const { pages, posts, files } = counts ?? {}
        const found = Object.entries({ pages, posts, files }).flatMap(([what, count]) =>
          count === undefined ? [] : [[what, count] as const],
        )
        return found.length === 0 ? <Nothing /> : countsText(found)
      },
    },
    {
      field: 'size',
      label: t('list.size'),
      right: true,
      card: true,
      also: ['stored_size', 'needs'],
      render: ({ size, stored_size: storedSize, status, kind, needs }) =>
        typeof size === 'number' && size > 0 ? (
          <>
            {formatBytes(size)}
            {status && stored.has(status) && kind !== 'imported' ? (
              <span className="block text-meta text-muted">
                {needs && needs.length > 0 ? t('list.stored', { size: formatBytes(storedSize) }) : t('list.full')}
              </span>
            ) : null}
          </>
        ) : (
          <Nothing />
        ),
    },
    {
      field: 'store',
      from: 'desktop',
      render: ({ status, store }) =>
        status && (stored.has(status) || status === 'Expired') ? (
          <span translate="no">{storeOf(store)}</span>
        ) : (
          <Nothing />
        ),
    },
    {
      field: 'expires',
      from: 'desktop',
      render: ({ status, expires, pinned }) =>
        pinned === 1 ? (
          t('list.pinned')
        ) : status && stored.has(status) && expires ? (
          <Time value={expires} />
        ) : (
          <Nothing />
        ),
    },
    { field: 'proof', card: true, render: (row) => <Proof backup={row} /> },
    {
      field: 'status',
      render: ({ status, locked_by_job: job }) => (
        <DocStatus doctype="Site Backup" value={status ?? 'Queued'} job={job ?? siteJob} />
      ),
    },
  ]
}
