import { formatNumber } from '#web/lib/i18n/format.ts'
import { Card } from '#web/ui/card.tsx'
import { t } from './messages.ts'
import type { Metrics } from './metric-charts.ts'
import { timeText } from './metric-times.ts'

/** Most rows: a day. */
const mostRows = 288

/** The samples as a table, newest first. */
export function SamplesTable({ metrics: { times, interval, charts } }: { metrics: Metrics }) {
  const columns = charts.flatMap(({ title, series, format }) =>
    series.map(({ label, values }) => ({ title: series.length > 1 ? `${title}, ${label}` : title, values, format })),
  )
  const measured = times.flatMap((_, at) => (columns[0]?.values[at] === null ? [] : [at]))
  const rows = measured.slice(-mostRows).toReversed()
  return (
    <Card>
      {rows.length < measured.length ? (
        <p className="px-4 pt-3 text-table text-muted">
          {t('table.newest', { shown: formatNumber(rows.length), all: formatNumber(measured.length) })}
        </p>
      ) : null}
      {/* Focusable, because it scrolls. */}
      <div tabIndex={0} role="region" aria-label={t('table.label')} className="max-h-160 overflow-auto p-4">
        <table className="w-full text-left text-table whitespace-nowrap">
          <thead className="text-muted">
            <tr>
              {[t('table.time'), ...columns.map(({ title }) => title)].map((title) => (
                <th key={title} scope="col" className="py-1 pr-4 font-medium">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((at) => (
              <tr key={at} className="border-t border-hairline">
                <th scope="row" className="py-1 pr-4 font-normal">
                  {timeText(times[at] ?? 0, interval)}
                </th>
                {columns.map(({ title, values, format }) => {
                  const value = values[at] ?? null
                  return (
                    <td key={title} className="pr-4">
                      {value === null ? t('graphs.none') : format(value)}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  )
}
