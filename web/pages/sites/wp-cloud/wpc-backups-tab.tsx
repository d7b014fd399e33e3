import { useState } from 'react'
import { WpcSiteDoctype, type WpcSite } from '#shared/doctypes/wpc-site.ts'
import { wpcBackups } from '#shared/responses/wpc-sites.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { useListEvents } from '#web/lib/events/use-events.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Time } from '#web/ui/time.tsx'
import { t } from './messages.ts'

/** Rows at first: WP Cloud has more than 700 for a month. */
const first = 30

/** The backups that WP Cloud has of a site, read there now. */
export function WpcBackupsTab({ site }: { site: WpcSite }) {
  const [all, setAll] = useState(false)
  const read = useMethod(
    site.atomic_site_id === null ? null : 'run_doc_method',
    { dt: 'WPC Site', dn: site.name, method: 'list_backups' },
    { verb: 'POST', returns: wpcBackups, keepPrevious: true },
  )
  // A job that made or deleted one has ended.
  useListEvents('WPC Site', () => void read.reload())
  const doc = { ...site, doctype: 'WPC Site' }
  const backups = site.atomic_site_id === null ? [] : read.data?.backups
  return (
    <Card>
      <CardHead title={t('backups.title')} />
      <CardBody className="grid gap-4 text-table">
        <p className="text-muted">{t('backups.hint')}</p>
        <div className="flex flex-wrap gap-2">
          <ActionButton
            type={WpcSiteDoctype}
            doc={doc}
            name="backup"
            args={{ kind: 'fs' }}
            asks={false}
            label={t('backups.files_now')}
            size="md"
          />
          <ActionButton
            type={WpcSiteDoctype}
            doc={doc}
            name="backup"
            args={{ kind: 'db' }}
            asks={false}
            label={t('backups.database_now')}
            size="md"
          />
        </div>
        {read.error && !backups ? (
          <ErrorPanel title={t('backups.error')} error={read.error} onRetry={() => read.reload()} />
        ) : null}
        {!backups && !read.error ? <Skeleton className="h-24 w-full" /> : null}
        {backups?.length === 0 ? <p className="text-muted">{t('backups.none')}</p> : null}
        <ul className="divide-y divide-hairline">
          {backups?.slice(0, all ? undefined : first).map((one) => (
            <li key={one.backup} className="flex flex-wrap items-center gap-x-4 gap-y-2 py-2">
              <span className="min-w-0 flex-1 basis-64">
                <span className="block font-medium">{t(one.kind === 'fs' ? 'backups.fs' : 'backups.db')}</span>
                <span className="text-meta text-muted">
                  <Time value={one.creation} variant="detail" /> ·{' '}
                  {t(one.on_demand ? 'backups.on_demand' : 'backups.automatic')}
                </span>
              </span>
              <span className="flex gap-2">
                <ActionButton
                  type={WpcSiteDoctype}
                  doc={doc}
                  name="restore"
                  args={{ backup: one.backup }}
                  size="sm"
                  onlyPossible
                />
                {one.on_demand ? (
                  <ActionButton
                    type={WpcSiteDoctype}
                    doc={doc}
                    name="delete_backup"
                    label={t('backups.delete')}
                    args={{ backup: one.backup }}
                    size="sm"
                    onlyPossible
                  />
                ) : null}
              </span>
            </li>
          ))}
        </ul>
        {backups && !all && backups.length > first ? (
          <span>
            <Button size="md" onClick={() => setAll(true)}>
              {t('backups.more', { count: backups.length })}
            </Button>
          </span>
        ) : null}
      </CardBody>
    </Card>
  )
}
