import { useState } from 'react'
import type { WpcSite } from '#shared/doctypes/wpc-site.ts'
import { wpcMetrics, type WpcMetrics } from '#shared/responses/wpc-sites.ts'
import { wpcRanges } from '#shared/rules/wp-cloud.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { formatAbsolute, formatDuration, formatNumber, formatPercent } from '#web/lib/i18n/format.ts'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Segmented } from '#web/ui/form/segmented.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { SummaryCards } from '#web/ui/summary-cards.tsx'
import { t } from './messages.ts'
import { WpcLog } from './wpc-log.tsx'

type Range = (typeof wpcRanges)[number]

/** What WP Cloud measures of a site, and its logs. */
export function WpcMonitoringTab({ site }: { site: WpcSite }) {
  const [range, setRange] = useState<Range>('24h')
  const read = useMethod(
    'run_doc_method',
    { dt: 'WPC Site', dn: site.name, method: 'get_metrics', args: { range } },
    { verb: 'POST', returns: wpcMetrics, keepPrevious: true },
  )
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <div className="w-max max-w-full">
        <Segmented
          label={t('metrics.range')}
          hideLabel
          options={wpcRanges.map((value) => ({ value, label: t(`metrics.${value}`) }))}
          value={range}
          onChange={setRange}
        />
      </div>
      {read.data ? <Measured metrics={read.data} /> : null}
      {read.error && !read.data ? (
        <ErrorPanel title={t('metrics.error')} error={read.error} onRetry={() => read.reload()} />
      ) : null}
      {!read.data && !read.error ? <Skeleton className="h-40 w-full rounded-card" /> : null}
      <WpcLog site={site} />
    </div>
  )
}

type Sample = WpcMetrics['samples'][number]

/** The mean of what was measured, by requests; null without any. */
function meanOf(samples: readonly Sample[], of: (sample: Sample) => number | null): number | null {
  const counted = samples.flatMap((sample) => {
    const value = of(sample)
    return value === null || !sample.requests ? [] : [[value, sample.requests] as const]
  })
  const total = counted.reduce((sum, [, requests]) => sum + requests, 0)
  return total === 0 ? null : counted.reduce((sum, [value, requests]) => sum + value * requests, 0) / total
}

function Measured({ metrics: { samples, interval } }: { metrics: WpcMetrics }) {
  const requests = samples.reduce((sum, one) => sum + (one.requests ?? 0), 0)
  const response = meanOf(samples, (one) => one.response_seconds)
  const cached = meanOf(samples, (one) => one.cache_percent)
  const most = Math.max(1, ...samples.map((one) => one.requests ?? 0))
  return (
    <>
      <SummaryCards
        items={[
          { label: t('metrics.requests'), value: samples.length === 0 ? t('metrics.none') : formatNumber(requests) },
          { label: t('metrics.response'), value: response === null ? t('metrics.none') : formatDuration(response) },
          { label: t('metrics.cached'), value: cached === null ? t('metrics.none') : formatPercent(cached) },
        ]}
      />
      {samples.length === 0 ? null : (
        <Card>
          <CardHead
            title={t('metrics.chart')}
            subtitle={t('metrics.interval', { interval: formatDuration(interval) })}
          />
          <CardBody>
            <div role="img" aria-label={chartText(samples, most)} className="flex h-28 items-end gap-px">
              {samples.map((one) => (
                <div
                  key={one.timestamp}
                  title={sampleText(one)}
                  className="min-h-px min-w-0 flex-1 bg-brand"
                  style={{ height: `${((one.requests ?? 0) / most) * 100}%` }}
                />
              ))}
            </div>
          </CardBody>
        </Card>
      )}
    </>
  )
}

const sampleText = ({ timestamp, requests }: Sample) =>
  t('metrics.sample', {
    count: requests ?? 0,
    when: formatAbsolute(new Date(timestamp * 1000)),
  })

function chartText(samples: readonly Sample[], most: number): string {
  const peak = samples.find((one) => one.requests === most)
  return peak ? t('metrics.peak', { sample: sampleText(peak) }) : t('metrics.chart')
}
