import type { Site } from '#shared/doctypes/site.ts'
import { DocStatus } from '#web/documents/values/cells.tsx'
import { Link } from '#web/lib/routing/router.tsx'
import { StatusPill } from '#web/ui/status.tsx'
import { Time } from '#web/ui/time.tsx'
import { t } from '../messages.ts'

/** When a site was last backed up and what that backup is worth, with a link to its backups. */
export function LastBackup({
  site,
}: {
  site: Pick<Site, 'name'> & Partial<Pick<Site, 'backup_at' | 'backup_proof' | 'backup_failed_at'>>
}) {
  const { name, backup_at: at, backup_proof: proof, backup_failed_at: failed } = site
  return (
    <span className="inline-flex flex-wrap items-center gap-x-3">
      <Link to={{ pathname: `/site/${encodeURIComponent(name)}`, hash: '#backupandrestore' }} className="link">
        {at ? <Time value={at} /> : t('site.last_backup_none')}
      </Link>
      {at ? <DocStatus inset doctype="Site Backup" field="proof" value={proof ?? 'Not Tested'} /> : null}
      {failed ? (
        <StatusPill tone="bad" busy={false} inset>
          {t('site.last_backup_failed')}
        </StatusPill>
      ) : null}
    </span>
  )
}
