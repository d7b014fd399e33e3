import { Download, LineChart, Table2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { Server } from '#shared/doctypes/server.ts'
import { metricInterval, serverRangeKeys, type ServerRange } from '#shared/rules/metric-ranges.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { formatClock } from '#web/lib/i18n/format.ts'
import { useSearchParams } from '#web/lib/routing/router.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { ViewChip, ViewChips } from '#web/ui/chip.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Switch } from '#web/ui/form/switch.tsx'
import { IconButton } from '#web/ui/icon-button.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Charts } from './charts.tsx'
import { checkedMetrics } from './checked-metrics.ts'
import { t } from './messages.ts'
import { metricsOf } from './metric-charts.ts'
import { downloadSamples } from './samples-csv.ts'
import { SamplesTable } from './samples-table.tsx'

/** How busy a server was, in graphs, and what was done to it. */
export function GraphsTab({ server }: { server: Server }) {
  const [params, setParams] = useSearchParams()
  const range = serverRangeKeys.find((key) => key === params.get('range')) ?? '24h'
  const [zoom, setZoom] = useState<readonly [number, number] | null>(null)
  const [isTable, setTable] = useState(false)
  const [hasEvents, setEvents] = useState(true)
  const read = useMethod(
    'easydash.easydash.doctype.server.server.get_metrics',
    { server: server.name, range },
    // So that a sample is on screen before the next one is taken.
    { returns: checkedMetrics, keepPrevious: true, refreshInterval: (metricInterval / 2) * 1000 },
  )
  const isRead = server.engine !== 'local' && server.metrics_agent !== 1
  const found = read.data
  const metrics = useMemo(() => found && metricsOf(found, server.cpu), [found, server.cpu])
  const latest = metrics?.times[metrics.newest]
  const choose = (next: ServerRange) => {
    setZoom(null)
    setParams(
      (current) => {
        const wanted = new URLSearchParams(current)
        wanted.set('range', next)
        return wanted
      },
      { replace: true },
    )
  }
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4">
        <ViewChips label={t('graphs.range')}>
          {serverRangeKeys.map((key) => (
            <ViewChip key={key} active={key === range} onClick={() => choose(key)}>
              {t(`graphs.range_${key}`)}
            </ViewChip>
          ))}
        </ViewChips>
        {found && latest !== undefined ? (
          <>
            <p className="mb-3 text-table text-muted">
              {found.interval === metricInterval
                ? t('graphs.latest', { time: formatClock(new Date(latest * 1000)) })
                : t(found.interval === 3600 ? 'graphs.averages_hour' : 'graphs.averages_day')}
              {isRead ? <span className="block">{t('graphs.by_ssh')}</span> : null}
            </p>
            <div className="mb-3 ml-auto flex flex-wrap items-center gap-2">
              {zoom ? (
                <Button size="md" onClick={() => setZoom(null)}>
                  {t('graphs.reset_zoom')}
                </Button>
              ) : null}
              {isTable ? null : <Switch label={t('graphs.events')} checked={hasEvents} onChange={setEvents} />}
              <Button size="md" onClick={() => setTable(!isTable)}>
                {isTable ? (
                  <LineChart size={14} strokeWidth={1.75} aria-hidden="true" />
                ) : (
                  <Table2 size={14} strokeWidth={1.75} aria-hidden="true" />
                )}
                {t(isTable ? 'graphs.as_graphs' : 'graphs.as_table')}
              </Button>
              <IconButton
                size="md"
                label={t('graphs.download')}
                onClick={() => downloadSamples(`${server.hostname}-${range}.csv`, found.samples)}
              >
                <Download size={14} strokeWidth={1.75} aria-hidden="true" />
              </IconButton>
            </div>
          </>
        ) : null}
      </div>
      {read.error && !found ? (
        <ErrorPanel title={t('graphs.error')} error={read.error} onRetry={() => read.reload()} />
      ) : metrics === undefined ? (
        <ChartsSkeleton />
      ) : latest === undefined ? (
        <Card>
          <EmptyState title={t('graphs.empty')}>
            {t(server.engine === 'local' ? 'graphs.empty_local' : isRead ? 'graphs.by_ssh' : 'graphs.empty_agent')}
          </EmptyState>
        </Card>
      ) : isTable ? (
        <SamplesTable metrics={metrics} />
      ) : (
        <Charts server={server} metrics={metrics} hasEvents={hasEvents} zoom={zoom} onZoom={setZoom} />
      )}
    </>
  )
}

function ChartsSkeleton() {
  return (
    <div aria-hidden="true" className="mt-12 grid gap-x-4 gap-y-3 lg:grid-cols-2">
      {Array.from({ length: 6 }, (_, at) => (
        <Skeleton key={at} className="h-50 w-full rounded-card" />
      ))}
    </div>
  )
}
