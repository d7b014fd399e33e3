import { previewedRetention } from '#shared/responses/backups.ts'
import type { Retention } from '#shared/rules/backups.ts'
import { addressBesideName, siteName } from '#shared/rules/display-name.ts'
import { useDebounced } from '#web/lib/api/debounce.ts'
import { useMethod, useSmallList } from '#web/lib/api/frappe.tsx'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { formatAbsolute, formatNumber } from '#web/lib/i18n/format.ts'
import { Notice } from '#web/ui/notice.tsx'
import { t } from './messages.ts'

/** Deleted backups that are named. */
const mostNamed = 20

/** Of which backups: those of a site, or those of all sites that have the schedule of their organization. */
type Place = { readonly site: string } | { readonly organization: string }

/** What a retention would delete; null without one. `pending`: not known yet. */
export function useRetentionPreview(of: Place, retention: (Retention & { readonly time_zone?: string }) | null) {
  const wanted = retention === null ? null : JSON.stringify(retention)
  const settled = useDebounced(wanted)
  const isSettled = wanted === settled
  const { data, error } = useMethod(
    wanted !== null && isSettled ? 'easydash.api.backups.preview_retention' : null,
    { ...of, ...retention },
    { returns: previewedRetention },
  )
  const pending = !isSettled || (data === undefined && error === null)
  return wanted === null ? null : { data, error, pending, ofMany: 'organization' in of }
}

/** Says what would be deleted, and when that was backed up. */
export function RetentionPreview({ preview }: { preview: ReturnType<typeof useRetentionPreview> }) {
  const { pending, data, error } = preview ?? { pending: false, data: undefined, error: null }
  const named = (data?.delete ?? []).slice(0, mostNamed)
  const deleted = useSmallList(named.length > 0 ? 'Site Backup' : null, {
    fields: ['name', 'taken_at', 'creation', 'site_domain', 'site.title as site_title'],
    filters: [['name', 'in', named]],
    order_by: 'creation desc',
    limit: mostNamed,
  }).data
  if (!preview) return null
  const more = (data?.delete.length ?? 0) - named.length
  return (
    <div aria-live="polite" className="text-table">
      {pending ? (
        <p className="text-muted">{t('preview.reading')}</p>
      ) : data === undefined ? (
        <p>{t('preview.error', { reason: error === null ? '' : fullMessage(error) })}</p>
      ) : data.delete.length === 0 ? (
        <p className="text-muted">{t('preview.keeps', { count: data.keep.length })}</p>
      ) : (
        <Notice tone="warn">
          <p>{t('preview.deletes', { keep: formatNumber(data.keep.length), count: data.delete.length })}</p>
          <ul className="mt-1 list-disc pl-5">
            {(deleted ?? []).map(({ name, taken_at: taken, creation, site_domain, site_title: title }) => {
              const site = { title, domain: site_domain ?? '' }
              return (
                <li key={name}>
                  {preview.ofMany
                    ? `${[siteName(site), addressBesideName(site)].filter(Boolean).join(' · ')} · `
                    : null}
                  {formatAbsolute(taken ?? creation)}
                </li>
              )
            })}
            {more > 0 ? <li>{t('preview.more', { count: formatNumber(more) })}</li> : null}
          </ul>
        </Notice>
      )}
    </div>
  )
}
