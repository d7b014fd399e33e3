import { formatNumber } from '#web/lib/i18n/format.ts'
import { timeText, tookText } from './uptime-texts.ts'
import type { Interval } from './uptime-view.ts'
import { t } from './messages.ts'

/** The values of the graphs as a table, newest first. */
export function UptimeTable({ intervals }: { intervals: readonly Interval[] }) {
  const rows = intervals.filter(({ state }) => state !== null).toReversed()
  return (
    <details className="text-table">
      <summary className="inline-block cursor-pointer py-1 text-muted hover:text-fg max-md:py-2.5">
        {t('chart.table')}
      </summary>
      {/* Focusable, because it scrolls. */}
      <div tabIndex={0} role="region" aria-label={t('chart.title')} className="mt-2 max-h-80 overflow-auto">
        <table className="w-full text-left whitespace-nowrap">
          <thead className="text-muted">
            <tr>
              {(['time', 'state', 'median', 'p95', 'checks', 'failures'] as const).map((column) => (
                <th key={column} scope="col" className="py-1 pr-4 font-medium">
                  {t(`chart.${column}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ at, state, bucket }) => (
              <tr key={at} className="border-t border-hairline">
                <th scope="row" className="py-1 pr-4 font-normal">
                  {timeText(at)}
                </th>
                <td className="pr-4">{state === null ? t('chart.none') : t(`chart.${state}`)}</td>
                <td className="pr-4">{tookText(bucket?.median_ms)}</td>
                <td className="pr-4">{tookText(bucket?.p95_ms)}</td>
                <td className="pr-4">{formatNumber(bucket ? bucket.up + bucket.slow + bucket.down : 0)}</td>
                <td>{formatNumber(bucket?.down ?? 0)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
