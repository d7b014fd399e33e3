import { useEffect, useEffectEvent, useState } from 'react'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { checkedSite, mostIncidents, uptime as uptimeResponse, type Uptime } from '#shared/responses/uptime.ts'
import { uptimeRangeKeys, type UptimeRange } from '#shared/rules/uptime.ts'
import { useActions } from '#web/documents/actions/use-actions.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { runAction } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { refetch } from '#web/lib/api/data-client.ts'
import { docKey } from '#web/lib/api/data-keys.ts'
import { useMethod, useSmallList } from '#web/lib/api/frappe.tsx'
import { showToast } from '#web/lib/browser/toasts.ts'
import { useNow } from '#web/lib/browser/use-now.ts'
import { useDocEvents } from '#web/lib/events/use-events.ts'
import { parseTime } from '#web/lib/i18n/format-day.ts'
import { formatDuration, formatNumber, formatPercent, secondsBetween } from '#web/lib/i18n/format.ts'
import { useSearchParams } from '#web/lib/routing/router.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { ViewChip, ViewChips } from '#web/ui/chip.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { SummaryCards, type SummaryCard } from '#web/ui/summary-cards.tsx'
import { changeFields, changeText, IncidentsCard, type SiteChange } from './incidents-card.tsx'
import { KeywordCard } from './keyword-card.tsx'
import { t } from './messages.ts'
import { UptimeChart } from './uptime-chart.tsx'
import { UptimeTable } from './uptime-table.tsx'
import { tookText } from './uptime-texts.ts'
import { intervalsOf, rangeOfAge } from './uptime-view.ts'

/** Whether the site was up, how fast it answered, and what happened before it was down. */
export function MonitoringTab({ site }: { site: Site }) {
  const [params, setParams] = useSearchParams()
  const now = useNow(60_000)
  const range = uptimeRangeKeys.find((key) => key === params.get('range')) ?? rangeOfAge(site.creation, now)
  const read = useMethod(
    'run_doc_method',
    { dt: 'Site', dn: site.name, method: 'uptime', args: { range } },
    { verb: 'POST', returns: uptimeResponse, keepPrevious: true },
  )
  const reload = useEffectEvent(() => void read.reload())
  useDocEvents('Site', site.name, () => void read.reload())
  useEffect(() => {
    reload()
  }, [now])
  const choose = (next: UptimeRange) =>
    setParams(
      (current) => {
        const wanted = new URLSearchParams(current)
        wanted.set('range', next)
        return wanted
      },
      { replace: true },
    )
  const found = read.data
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2">
        <ViewChips label={t('uptime.range')}>
          {uptimeRangeKeys.map((key) => (
            <ViewChip key={key} active={key === range} onClick={() => choose(key)}>
              {t(`uptime.range_${key}`)}
            </ViewChip>
          ))}
        </ViewChips>
        <CheckNow site={site} onChecked={() => void read.reload()} />
      </div>
      {read.error && !found ? (
        <ErrorPanel title={t('uptime.error')} error={read.error} onRetry={() => read.reload()} />
      ) : null}
      {found ? (
        <Found site={site} uptime={found} now={now} />
      ) : read.error ? null : (
        <div aria-hidden="true" className="grid gap-4">
          <Skeleton className="h-24 w-full rounded-card" />
          <Skeleton className="h-80 w-full rounded-card" />
        </div>
      )}
    </div>
  )
}

function Found({ site, uptime, now }: { site: Site; uptime: Uptime; now: number }) {
  const intervals = intervalsOf(uptime)
  const changes = useChanges(site, uptime)
  const isEmpty = uptime.buckets.length === 0
  return (
    <>
      <SummaryCards items={summaryOf(uptime, now)} />
      <Card>
        <CardHead title={t('chart.title')} />
        {isEmpty ? (
          <EmptyState title={t('uptime.empty')}>{t('uptime.empty_hint')}</EmptyState>
        ) : (
          <CardBody className="grid gap-3">
            <UptimeChart
              uptime={uptime}
              intervals={intervals}
              changes={[...changes.values()].map((change) => ({
                at: (parseTime(change.creation)?.getTime() ?? 0) / 1000,
                text: changeText(change),
              }))}
            />
            <UptimeTable intervals={intervals} />
          </CardBody>
        )}
      </Card>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_360px]">
        <IncidentsCard incidents={uptime.incidents} changes={changes} />
        <KeywordCard site={site} />
      </div>
    </>
  )
}

/** Most changes marked in the graph. */
const mostChanges = 100

/** Entries of the activity log in the range, and those that incidents name, by name. */
function useChanges(site: Site, uptime: Uptime): ReadonlyMap<string, SiteChange> {
  const start = new Date(uptime.from * 1000).toISOString().slice(0, 19).replace('T', ' ')
  const inRange = useSmallList('Activity', {
    fields: changeFields,
    filters: [
      ['reference_doctype', '=', 'Site'],
      ['reference_name', '=', site.name],
      ['superseded', '=', 0],
      ['creation', '>=', start],
    ],
    order_by: 'creation desc',
    limit: mostChanges,
  })
  const named = [...new Set(uptime.incidents.flatMap(({ change }) => change ?? []))].toSorted()
  const before = useSmallList(named.length > 0 ? 'Activity' : null, {
    fields: changeFields,
    filters: [['name', 'in', named]],
    limit: mostChanges,
  })
  return new Map([...(inRange.data ?? []), ...(before.data ?? [])].map((change) => [change.name, change]))
}

function summaryOf({ totals, incidents, from }: Uptime, now: number): SummaryCard[] {
  const { availability, median_ms: median, p95_ms: p95, ttfb_ms: ttfb, down } = totals
  const checks = totals.up + totals.slow + down
  // An incident may have begun before the range.
  const seconds = incidents.reduce((sum, { started, ended }) => {
    const whole = secondsBetween(started, ended, now) ?? 0
    const end = (parseTime(ended)?.getTime() ?? now) / 1000
    return sum + Math.min(whole, Math.max(0, end - from))
  }, 0)
  const isCut = incidents.length >= mostIncidents
  const isOpen = incidents.some(({ ended }) => ended === null)
  return [
    {
      label: t('summary.availability'),
      // Never rounded up to a full 100 %.
      value:
        availability === null
          ? t('summary.availability_none')
          : formatPercent(Math.floor(availability * 10_000) / 100, 2),
      tone: availability === null ? 'none' : isOpen ? 'bad' : down > 0 ? 'warn' : 'ok',
      detail: t('summary.checks', { count: checks, failed: formatNumber(down) }),
    },
    {
      label: t('summary.response'),
      value: tookText(median),
      detail: median === null ? undefined : t('summary.response_detail', { p95: tookText(p95), ttfb: tookText(ttfb) }),
    },
    {
      label: t('summary.incidents'),
      value:
        incidents.length === 0
          ? t('summary.incidents_none')
          : isCut
            ? t('summary.incidents_many', { count: formatNumber(incidents.length) })
            : formatNumber(incidents.length),
      tone: isOpen ? 'bad' : incidents.length > 0 ? 'warn' : 'ok',
      detail: isOpen
        ? t('summary.incidents_open')
        : incidents.length > 0
          ? t(isCut ? 'summary.incidents_down_many' : 'summary.incidents_down', { time: formatDuration(seconds) })
          : undefined,
    },
  ]
}

function CheckNow({ site, onChecked }: { site: Site; onChecked: () => void }) {
  const gate = useActions(SiteDoctype, { ...site, doctype: 'Site' }).find(({ name }) => name === 'check_now')?.gate
  const [busy, setBusy] = useState(false)
  if (!gate) return null
  const check = async () => {
    if (busy || !gate.enabled) return
    setBusy(true)
    try {
      const result = checkedResult(checkedSite, await runAction('Site', site.name, 'check_now'))
      showToast({
        title: t(`uptime.checked_${result.state}`, { took: tookText(result.total_ms) }),
        variant: result.state === 'down' ? 'danger' : 'success',
      })
      onChecked()
      void refetch(docKey('Site', site.name))
    } catch (error) {
      showToast({ title: t('uptime.check_failed'), description: fullMessage(toApiError(error)), variant: 'danger' })
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button
      size="md"
      busy={busy}
      aria-disabled={gate.enabled ? undefined : true}
      title={gate.enabled ? undefined : gate.reason}
      onClick={() => void check()}
    >
      {t('uptime.check_now')}
    </Button>
  )
}
