import type { Site } from '#shared/doctypes/site.ts'
import { SiteBackupDoctype } from '#shared/doctypes/site-backup.ts'
import { valueLabel } from '#web/documents/query/list-query.ts'
import { useSmallList } from '#web/lib/api/frappe.tsx'
import { useListEvents } from '#web/lib/events/use-events.ts'
import { costText, storeText, useStores } from '#web/features/backups/use-stores.ts'
import { formatBytes, formatRelative } from '#web/lib/i18n/format.ts'
import { useNow } from '#web/lib/browser/use-now.ts'
import { SummaryCards, type SummaryCard } from '#web/ui/summary-cards.tsx'
import { Time } from '#web/ui/time.tsx'
import { countsText } from './backup-texts.ts'
import { t } from './messages.ts'

/** What a proof compared that says most; its drawer has the rest. */
const told = ['visited', 'tables', 'files']

/** When the site was last backed up, and when a backup of it was last proven. */
export function BackupSummary({ site }: { site: Site }) {
  const now = useNow(30_000)
  const newest = useSmallList('Site Backup', {
    fields: ['name', 'creation', 'taken_at', 'status', 'proof', 'kind', 'size'],
    filters: [
      ['site', '=', site.name],
      ['status', 'in', ['Ready', 'Restoring', 'Failed']],
    ],
    order_by: 'creation desc',
    limit: 1,
  })
  const proven = useSmallList('Site Backup', {
    fields: ['name', 'proved_at', 'proof_seen'],
    filters: [
      ['site', '=', site.name],
      ['proof', '=', 'Proven'],
      ['status', 'in', ['Ready', 'Restoring']],
    ],
    order_by: 'creation desc',
    limit: 1,
  })
  const stores = useStores(site.organization, site.name)
  useListEvents('Site Backup', () => void stores.reload())
  const isRead = newest.data !== undefined && proven.data !== undefined
  const [last, best] = [newest.data?.[0], proven.data?.[0]]
  const seen = told.flatMap((wanted) =>
    (best?.proof_seen ?? []).flatMap(({ what, found }) =>
      what === wanted && found > 0 ? [[what, found] as const] : [],
    ),
  )
  const isBroken = last?.status !== 'Failed' && last?.proof === 'Failed'
  const when = formatRelative(best?.proved_at, now)
  const proof: Omit<SummaryCard, 'label'> = isBroken
    ? {
        value: t('summary.broken'),
        tone: 'bad',
        detail: best ? t('summary.broken_detail', { when }) : t('summary.unproven_detail'),
      }
    : best
      ? {
          value: t('summary.proven', { when }),
          tone: 'ok',
          detail: seen.length > 0 ? t('summary.compared', { parts: countsText(seen) }) : undefined,
        }
      : { value: t('summary.unproven'), tone: last ? 'warn' : 'none', detail: t('summary.unproven_detail') }
  const made: Omit<SummaryCard, 'label'> =
    last === undefined
      ? { value: t('summary.none'), tone: 'none' }
      : last.status === 'Failed'
        ? { value: t('summary.failed'), tone: 'bad', detail: <Time variant="standalone" value={last.creation} /> }
        : {
            value: <Time value={last.taken_at ?? last.creation} />,
            detail: [valueLabel(SiteBackupDoctype, 'kind', last.kind ?? ''), formatBytes(last.size)].join(', '),
          }
  const used = (stores.data?.stores ?? []).filter(({ usage }) => usage && usage.backups > 0)
  const stored: Omit<SummaryCard, 'label'> = {
    value: !stores.data
      ? null
      : used.length === 0
        ? t('summary.none')
        : formatBytes(used.reduce((sum, { usage }) => sum + (usage?.bytes ?? 0), 0)),
    detail: [...used.map(({ store }) => storeText(store, stores.data)), costText(used)].filter(Boolean).join(', '),
  }
  const items: SummaryCard[] = [
    { label: t('summary.last'), ...made },
    { label: t('summary.proof'), ...proof },
    { label: t('summary.stored'), ...stored },
  ]
  return (
    <SummaryCards
      items={isRead ? items : items.map(({ label }) => ({ label, value: null }))}
      failed={(newest.error ?? proven.error ?? (stores.data ? null : stores.error)) !== null}
    />
  )
}
