import { Pencil } from 'lucide-react'
import { useState } from 'react'
import { SiteQuotaDoctype } from '#shared/doctypes/site-quota.ts'
import { siteTypeLabels } from '#shared/doctypes/site.ts'
import { listCurl } from '#web/documents/actions/copy-as.ts'
import { CopyListButton } from '#web/documents/list/copy-list-button.tsx'
import { formatBytes, formatNumber } from '#web/lib/i18n/format.ts'
import { useList } from '#web/lib/api/frappe.tsx'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { Button } from '#web/ui/button.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { t } from './messages.ts'
import { QuotaDialog, quotaFields } from './quota-dialog.tsx'

const request = { fields: quotaFields, filters: [], or_filters: [], order_by: 'position asc', start: 0, limit: 0 }

const most = (value: number | null, format: (value: number) => string): string =>
  value === null || value <= 0 ? t('plans.no_limit') : format(value)
const megabytes = (value: number | null): string => most(value, (mb) => formatBytes(mb * 1_048_576))

/** Disk quotas of each site type on this machine. */
export function QuotasSection() {
  const quotas = useList('Site Quota', request)
  const [edited, setEdited] = useState<string | null>(null)
  const editing = quotas.data?.find((quota) => quota.name === edited)
  return (
    <section aria-label={t('quotas.title')} className="mt-8">
      <div className="mb-3 flex items-center gap-2">
        <div className="flex-1">
          <h2 className="font-semibold">{t('quotas.title')}</h2>
          <p className="text-table text-muted">{t('quotas.hint')}</p>
        </div>
        <CopyListButton command={() => listCurl(SiteQuotaDoctype, request, location.origin)} />
      </div>
      {quotas.error && !quotas.data ? (
        <ErrorPanel title={t('quotas.error')} error={quotas.error} onRetry={() => quotas.reload()} />
      ) : (
        <ul aria-label={t('quotas.title')} className="grid gap-2 md:grid-cols-3">
          {quotas.data?.map((quota) => (
            <li key={quota.name} className="rounded-card border border-border bg-surface p-3.5 text-table shadow-xs">
              <div className="flex items-center gap-2">
                <span className="flex-1 font-medium">{translateText(siteTypeLabels[quota.site_type])}</span>
                <Button size="sm" onClick={() => setEdited(quota.name)}>
                  <Pencil size={14} strokeWidth={1.75} aria-hidden="true" />
                  {t('plans.edit')}
                  <span className="sr-only">{translateText(siteTypeLabels[quota.site_type])}</span>
                </Button>
              </div>
              <p className="mt-1 text-muted">
                {t('quotas.line', { disk: megabytes(quota.disk_mb), files: most(quota.files, formatNumber) })}
              </p>
              <p className="text-muted">
                {t('quotas.line_more', { log: megabytes(quota.log_mb), outbox: megabytes(quota.outbox_mb) })}
              </p>
            </li>
          )) ?? <Skeleton className="h-28 w-full rounded-card" />}
        </ul>
      )}
      {editing ? (
        <QuotaDialog
          quota={editing}
          onClose={() => setEdited(null)}
          onSaved={async () => {
            await quotas.reload()
            setEdited(null)
          }}
        />
      ) : null}
    </section>
  )
}
