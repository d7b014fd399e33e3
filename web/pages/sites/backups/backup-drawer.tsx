import { FileCheck } from 'lucide-react'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { displayName } from '#shared/rules/display-name.ts'
import { UnreadDrawer } from '#web/documents/activity/unread-drawer.tsx'
import { valueLabel } from '#web/documents/query/list-query.ts'
import { DocStatus } from '#web/documents/values/cells.tsx'
import { toApiError } from '#web/lib/api/api-error.ts'
import { downloadFile } from '#web/lib/api/download.ts'
import { useDoc } from '#web/lib/api/frappe.tsx'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { formatAbsolute, formatBytes, formatNumber, formatRelative } from '#web/lib/i18n/format.ts'
import { LocalizedText } from '#web/lib/i18n/localized-text.tsx'
import { Button } from '#web/ui/button.tsx'
import { DetailList, type Detail } from '#web/ui/detail-list.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Menu, MenuItem } from '#web/ui/overlay/menu.tsx'
import { Drawer } from '#web/ui/overlay/drawer.tsx'
import { Time } from '#web/ui/time.tsx'
import { Proof } from './backup-columns.tsx'
import { countsText } from './backup-texts.ts'
import { t } from './messages.ts'
import { OpenBackup } from './open-backup.tsx'

/** All that is known of a backup: why it failed, what its proof saw, what is in it. */
export function BackupDrawer({
  site,
  name,
  storeOf,
  onClose,
}: {
  /** Whose backup it is, if that is known. */
  site: Site | null
  name: string
  /** The name of a store for people. */
  storeOf: (store: string | null | undefined) => string
  onClose: () => void
}) {
  const { data: backup, error, reload } = useDoc('Site Backup', name)
  return (
    <Drawer
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={
        backup ? (
          <span translate="no">
            {t('entry.title', {
              site: (site && displayName(SiteDoctype, site)) ?? backup.site_domain ?? '',
              when: formatAbsolute(backup.taken_at ?? backup.creation),
            })}
          </span>
        ) : (
          t(error ? 'entry.error' : 'entry.loading')
        )
      }
      head={
        backup ? (
          <div className="mt-1.5 flex flex-wrap items-center gap-x-4 gap-y-1">
            <DocStatus inset doctype="Site Backup" value={backup.status ?? 'Queued'} job={backup.locked_by_job} />
            <Proof backup={backup} />
          </div>
        ) : null
      }
      footer={
        <>
          {backup?.proved_at ? <ProofDownloads backup={backup} /> : null}
          <span className="flex-1" />
          <Button onClick={onClose}>{t('entry.close')}</Button>
        </>
      }
    >
      {backup ? (
        <div className="grid gap-5 px-5 py-4">
          {backup.status === 'Expired' && backup.error_message === null ? (
            <Notice tone="info" title={t('entry.deleting')} />
          ) : backup.status === 'Failed' || backup.status === 'Expired' ? (
            <Notice tone="bad" title={t(backup.status === 'Failed' ? 'entry.failed' : 'entry.not_deleted')}>
              <LocalizedText text={backup.error_message} i18n={backup.error_message_i18n} />
            </Notice>
          ) : (
            <ProofSection backup={backup} />
          )}
          {backup.status === 'Ready' && backup.kind !== 'imported' ? (
            <OpenBackup backup={backup} reload={() => reload()} />
          ) : null}
          <DetailList details={detailsOf(backup, storeOf(backup.store))} />
        </div>
      ) : (
        <UnreadDrawer
          error={error}
          title={t('entry.error')}
          doctype="Site Backup"
          name={name}
          onRetry={() => reload()}
        />
      )}
    </Drawer>
  )
}

const sentences = {
  Proven: 'entry.proven',
  Failed: 'entry.broken',
  Inconclusive: 'entry.inconclusive',
  'Not Tested': 'entry.untested',
} as const

function ProofSection({ backup }: { backup: SiteBackup }) {
  const { kind, proof, proof_detail: defects, proof_seen: seen, proved_at: at } = backup
  return (
    <section aria-labelledby="backup-proof" className="grid gap-2 text-table">
      <h3 id="backup-proof" className="font-semibold">
        {t('entry.proof')}
      </h3>
      <p>
        {t(kind === 'imported' ? 'entry.untested_imported' : sentences[proof ?? 'Not Tested'], {
          when: formatRelative(at),
        })}
        {backup.proved_on ? ` ${t('entry.on_server')}` : null}
      </p>
      {backup.thumbnail ? (
        <figure className="grid gap-1">
          <img
            src={backup.thumbnail}
            alt=""
            width={480}
            height={300}
            className="w-full rounded-card border border-border dark:brightness-[0.88]"
          />
          <figcaption className="text-meta text-muted">{t('entry.screenshot')}</figcaption>
        </figure>
      ) : null}
      {defects && defects.length > 0 ? (
        // From the engine, in English.
        <ul lang="en" className="grid gap-1.5">
          {defects.map(({ defect, evidence }, index) => (
            <li key={index} className="wrap-anywhere">
              {defect}
              <span translate="no" className="block font-mono text-meta text-muted empty:hidden">
                {evidence}
              </span>
            </li>
          ))}
        </ul>
      ) : null}
      {seen && seen.length > 0 ? (
        <details>
          <summary className="cursor-pointer py-1 text-muted hover:text-fg max-md:py-2.5">
            {t('entry.compared')}
          </summary>
          <ul className="mt-1 grid gap-1">
            {seen.map(({ what, expected, found }) => (
              <li key={what} className="flex justify-between gap-3">
                <span>{countsText([[what, expected]])}</span>
                <span className="text-muted">
                  {t('entry.seen', { found: formatNumber(found), expected: formatNumber(expected) })}
                </span>
              </li>
            ))}
          </ul>
        </details>
      ) : null}
    </section>
  )
}

/** The proof as a signed document. */
function ProofDownloads({ backup }: { backup: SiteBackup }) {
  const save = (as: 'html' | 'json') =>
    downloadFile('easydash.api.backups.proof_document', { backup: backup.name, as }).catch((error: unknown) =>
      showToast({ title: t('entry.proof_failed'), description: fullMessage(toApiError(error)), variant: 'danger' }),
    )
  return (
    <Menu
      align="start"
      trigger={
        <Button>
          <FileCheck size={16} strokeWidth={1.75} aria-hidden="true" className="text-muted" />
          {t('entry.proof_download')}
        </Button>
      }
    >
      <MenuItem onSelect={() => void save('html')}>{t('entry.proof_html')}</MenuItem>
      <MenuItem onSelect={() => void save('json')}>{t('entry.proof_json')}</MenuItem>
    </Menu>
  )
}

function detailsOf(backup: SiteBackup, store: string): Detail[] {
  const { size, stored_size: storedSize, status, counts, needs } = backup
  const isStored = typeof size === 'number' && size > 0 && status !== 'Failed'
  const details: Detail[] = [
    { label: t('entry.taken'), value: <Time variant="detail" value={backup.taken_at ?? backup.creation} /> },
    { label: t('entry.kind'), value: valueLabel(SiteBackupDoctype, 'kind', backup.kind ?? '') },
    {
      label: t('entry.kept_until'),
      value:
        status === 'Ready' && backup.pinned !== 1 && backup.expires ? (
          <Time variant="detail" value={backup.expires} />
        ) : null,
    },
    { label: t('entry.note'), value: backup.note ? <span translate="no">{backup.note}</span> : null },
    { label: 'WordPress', value: backup.wordpress_version },
    { label: 'PHP', value: backup.php_version },
    { label: t('list.contents'), value: counts ? countsText(Object.entries(counts)) : null },
    {
      label: t('entry.not_packed'),
      value: backup.not_packed?.length ? <span translate="no">{backup.not_packed.join(', ')}</span> : null,
    },
    { label: t('list.size'), value: isStored ? formatBytes(size) : null },
    { label: t('entry.stored_size'), value: isStored ? formatBytes(storedSize) : null },
    {
      label: t('entry.stored_as'),
      value:
        isStored && backup.kind !== 'imported'
          ? needs && needs.length > 0
            ? t('entry.increment', { count: needs.length })
            : t('entry.full')
          : null,
    },
    { label: t('entry.store'), value: isStored || backup.remote_path ? store : null },
    {
      label: t('entry.remote_path'),
      value: backup.remote_path ? <span translate="no">{backup.remote_path}</span> : null,
    },
  ]
  return details.filter(({ value }) => Boolean(value))
}
