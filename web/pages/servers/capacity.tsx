import type { Server } from '#shared/doctypes/server.ts'
import { Nothing } from '#web/documents/values/cells.tsx'
import { cx } from '#web/lib/browser/cx.ts'
import { formatBytes, formatPercent } from '#web/lib/i18n/format.ts'
import { Meter, meterTone } from '#web/ui/meter.tsx'
import { t } from './messages.ts'

/** Disk usage, 0 to 1; null if not measured. */
export function diskFraction(server: Partial<Pick<Server, 'disk' | 'disk_free'>>): number | null {
  const { disk, disk_free: free } = server
  if (typeof disk !== 'number' || typeof free !== 'number' || disk <= 0) return null
  return Math.min(1, Math.max(0, 1 - free / disk))
}

/** Disk usage as percentage and bar; only the size if the free space is unknown. */
export function DiskCell({ server }: { server: Partial<Pick<Server, 'disk' | 'disk_free'>> }) {
  const fraction = diskFraction(server)
  if (fraction === null) return typeof server.disk === 'number' ? <>{formatBytes(server.disk)}</> : <Nothing />
  return (
    <span className="inline-grid grid-cols-[36px_56px] items-center gap-2">
      <span
        className={cx(
          'text-right',
          { warn: 'font-medium text-warn', bad: 'font-medium text-bad', quiet: '' }[meterTone(fraction)],
        )}
      >
        {formatPercent(fraction * 100)}
      </span>
      <Meter fraction={fraction} label={t('servers.disk_label')} />
    </span>
  )
}

/** Used and total disk space with a bar, for the server's page. */
export function DiskMeter({ server }: { server: Pick<Server, 'disk' | 'disk_free'> }) {
  const fraction = diskFraction(server)
  if (fraction === null) return <Nothing />
  const total = server.disk ?? 0
  return (
    <div className="grid gap-1.5">
      <div className="flex items-center justify-between text-table">
        <span className="text-muted">{t('server.disk')}</span>
        <span>
          {t('server.room_detail', { used: formatBytes(total - (server.disk_free ?? 0)), total: formatBytes(total) })}
        </span>
      </div>
      <Meter fraction={fraction} label={t('servers.disk_label')} />
    </div>
  )
}
