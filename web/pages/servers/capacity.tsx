import type { Server } from '#shared/doctypes/server.ts'
import { Nothing } from '#web/documents/values/cells.tsx'
import { cx } from '#web/lib/browser/cx.ts'
import { useNow } from '#web/lib/browser/use-now.ts'
import { formatAbsolute, formatBytes, formatPercent } from '#web/lib/i18n/format.ts'
import { parseTime } from '#web/lib/i18n/format-day.ts'
import { Meter, meterTone } from '#web/ui/meter.tsx'
import { t } from './messages.ts'

/** Disk usage, 0 to 1; null if not measured. */
export function diskFraction(server: Partial<Pick<Server, 'disk' | 'disk_free'>>): number | null {
  const { disk, disk_free: free } = server
  if (typeof disk !== 'number' || typeof free !== 'number' || disk <= 0) return null
  return Math.min(1, Math.max(0, 1 - free / disk))
}

/** How full the disk is, 0 to 1: by the newest sample, else as the server was last read; null if not measured. */
export function diskUsage(server: Partial<Pick<Server, 'disk' | 'disk_free' | 'disk_percent'>>): number | null {
  const { disk_percent: percent } = server
  return typeof percent === 'number' ? Math.min(1, Math.max(0, percent / 100)) : diskFraction(server)
}

/** Samples come every five minutes; one that is older than this, in milliseconds, says nothing about now. */
const staleMs = 900_000

/** What the newest sample of a server says of one of its parts. */
interface Usage {
  /** 0 to 100; null if not measured. */
  percent: number | null | undefined
  /** Accessible name of the bar. */
  label: string
  /** How much there is of it; '' if not known. */
  capacity: string
  /** Time of the sample. */
  at: string | null | undefined
}

/** Usage as percentage and bar above the capacity, on cards beside it; only the capacity if it was not measured. */
export function UsageCell({ percent, label, capacity, at }: Usage) {
  const now = useNow(60_000)
  if (typeof percent !== 'number') return capacity === '' ? <Nothing /> : <>{capacity}</>
  const fraction = Math.min(1, Math.max(0, percent / 100))
  const measured = parseTime(at)
  const isStale = measured !== null && now - measured.getTime() > staleMs
  const tone = isStale ? 'quiet' : meterTone(fraction)
  const asOf = isStale ? t('servers.as_of', { time: formatAbsolute(measured) }) : undefined
  return (
    <span title={asOf}>
      <span className="inline-grid grid-cols-[34px_44px] items-center gap-1.5 max-md:grid-cols-[auto_44px]">
        <span
          className={cx(
            'text-right max-md:text-left',
            isStale ? 'text-muted' : { warn: 'font-medium text-warn', bad: 'font-medium text-bad', quiet: '' }[tone],
          )}
        >
          {formatPercent(percent)}
        </span>
        <Meter fraction={fraction} tone={tone} label={asOf === undefined ? label : `${label}, ${asOf}`} />
      </span>
      {capacity === '' ? null : (
        <span className="block text-meta text-muted max-md:ml-1.5 max-md:inline">{capacity}</span>
      )}
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
