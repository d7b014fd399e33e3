import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { backupComparison } from '#shared/responses/backups.ts'
import { displayName } from '#shared/rules/display-name.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { formatAbsolute, formatNumber } from '#web/lib/i18n/format.ts'
import { Button } from '#web/ui/button.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import type { BackupRow } from './backup-columns.tsx'
import { countsText } from './backup-texts.ts'
import { t } from './messages.ts'

/** What the site of a backup has now: it is looked at once, when this is first shown. */
const useComparison = (backup: string) =>
  useMethod(
    'run_doc_method',
    { dt: 'Site Backup', dn: backup, method: 'compare', args: {} },
    { verb: 'POST', returns: backupComparison, revalidateOnFocus: false },
  )

/** How much was added to the site, or changed in it, since a backup. */
export function ChangedSince({
  backup,
  content,
  files,
}: {
  backup: string
  /** Whether posts, orders, comments and users are of interest. */
  content: boolean
  files: boolean
}) {
  const { data, error, reload } = useComparison(backup)
  if (error)
    return (
      <>
        {t('changed.failed', { reason: fullMessage(error) })}{' '}
        <Button size="sm" onClick={() => void reload()}>
          {t('changed.retry')}
        </Button>
      </>
    )
  if (!data) return t('changed.counting')
  const { files: changedFiles, ...changed } = data.changed
  const counts = [
    ...(content ? (['posts', 'orders', 'comments', 'users'] as const).map((what) => [what, changed[what] ?? 0]) : []),
    ...(files ? [['files', changedFiles]] : []),
  ].filter(([, count]) => count !== 0) as [string, number][]
  const isMore = files && !data.is_whole
  const isUncounted = content && changed.posts === undefined
  return (
    <>
      {counts.length > 0 || isMore
        ? t(isMore ? 'changed.more' : 'changed.some', { what: countsText(counts, 'changed') })
        : !isUncounted
          ? t('changed.none')
          : files
            ? t('changed.no_files')
            : null}{' '}
      {isUncounted ? t('changed.no_wordpress') : null}
    </>
  )
}

const kinds = ['posts', 'pages', 'comments', 'uploads', 'users', 'plugins', 'themes', 'files'] as const

/** What a backup has and what its site has now, side by side. */
export function CompareDialog({
  site,
  backup,
  onClose,
}: {
  site: Site | null
  backup: BackupRow
  onClose: () => void
}) {
  const { data, error, reload } = useComparison(backup.name)
  const had = backup.counts ?? {}
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={t('compare.title', { site: (site && displayName(SiteDoctype, site)) ?? backup.site_domain ?? '' })}
      description={t('compare.text', { when: formatAbsolute(backup.taken_at ?? backup.creation) })}
    >
      {error ? (
        <ErrorPanel title={t('compare.failed')} error={error} onRetry={() => void reload()} />
      ) : !data ? (
        <>
          <p role="status" className="sr-only">
            {t('changed.counting')}
          </p>
          <Skeleton className="h-56" />
        </>
      ) : (
        <div className="grid gap-3 text-table">
          <table aria-label={t('compare.table')} className="w-full border-collapse text-left">
            <thead>
              <tr className="border-b border-hairline text-meta text-muted">
                <th scope="col" className="py-1.5 font-medium">
                  {t('compare.what')}
                </th>
                <th scope="col" className="py-1.5 text-right font-medium">
                  {t('compare.backup')}
                </th>
                <th scope="col" className="py-1.5 text-right font-medium">
                  {t('compare.now')}
                </th>
              </tr>
            </thead>
            <tbody>
              {kinds
                .filter((kind) => data.now[kind] !== undefined || had[kind] !== undefined)
                .map((kind) => (
                  <tr key={kind} className="border-b border-hairline last:border-b-0">
                    <th scope="row" className="py-1.5 font-normal">
                      {t(`compare.${kind}`)}
                    </th>
                    <td className="py-1.5 text-right tabular-nums">{shown(had[kind])}</td>
                    <td
                      className={`py-1.5 text-right tabular-nums ${data.now[kind] === had[kind] ? '' : 'font-semibold'}`}
                    >
                      {kind === 'files' && !data.is_whole
                        ? t('compare.more', { count: formatNumber(data.now.files) })
                        : shown(data.now[kind])}
                    </td>
                  </tr>
                ))}
            </tbody>
          </table>
          <p className="text-muted">
            <ChangedSince backup={backup.name} content={backup.site_type === 'wp'} files />
          </p>
        </div>
      )}
    </Dialog>
  )
}

const shown = (count: number | undefined): string => (count === undefined ? '–' : formatNumber(count))
