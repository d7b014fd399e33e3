import { useCallback, useEffect, useEffectEvent, useState } from 'react'
import { Link } from '#web/lib/routing/router.tsx'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { checkGraceSeconds, serverCheckSeconds, serverWatchSeconds } from '#shared/rules/site-check.ts'
import { isEasyEngineOutdated, newestEasyEngine } from '#shared/rules/easyengine-version.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { addressBesideName, siteName } from '#shared/rules/display-name.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { RecentActivity } from '#web/documents/activity/recent-activity.tsx'
import { DocStatus } from '#web/documents/values/cells.tsx'
import { listHref } from '#web/documents/query/list-href.ts'
import { statusLabel, statusLook } from '#web/documents/values/status-tones.ts'
import { formatBytes, formatDuration, formatPercent, secondsBetween } from '#web/lib/i18n/format.ts'
import { useCount, useDoc, useList } from '#web/lib/api/frappe.tsx'
import { parseTime } from '#web/lib/i18n/format-day.ts'
import { useNow } from '#web/lib/browser/use-now.ts'
import { RevealWhenReady } from '#web/ui/reveal-when-ready.tsx'
import { SummaryCards, type SummaryCard } from '#web/ui/summary-cards.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { diskFraction, diskUsage } from './capacity.tsx'
import { t } from './messages.ts'
import { FoundSites } from './found-sites.tsx'
import { ServerDriftNotice } from './server-at-provider.tsx'
import { ServerAccess, ServerDetails } from './server-details.tsx'
import { meterTone } from '#web/ui/meter.tsx'

/** Maximum sites shown on a server's page; the rest is one click away. */
const sitesShown = 8

/** Whether a server should have been measured again, for at least `graceSeconds`. */
function isMeasurementDue({ engine, checked_at: checked }: Server, now: number, graceSeconds = 0): boolean {
  const at = parseTime(checked)
  // Its schedule adds up to a tenth.
  const interval = engine === 'local' ? serverCheckSeconds : serverWatchSeconds * 1.1
  return at !== null && now - at.getTime() > (interval + graceSeconds) * 1000
}

/** Reads the server again while its next measurement is due, because those that change nothing send no events. */
function useDueMeasurement(server: Server, now: number): void {
  const { reload } = useDoc('Server', server.name)
  const read = useEffectEvent(() => void reload())
  const isDue = isMeasurementDue(server, now)
  useEffect(() => {
    if (isDue) read()
  }, [isDue, now])
}

function summaryCards(
  server: Server,
  now: number,
  uptime: string | null,
  sites: number | undefined,
  live: number | undefined,
): SummaryCard[] {
  const status = server.status ?? 'Provisioning'
  const measured = server.checked_at
  const isLate = isMeasurementDue(server, now, checkGraceSeconds)
  const fraction = diskFraction(server)
  // A server that was never read by SSH can have sent samples.
  const sampled = diskUsage(server)
  const tone = fraction === null ? 'none' : ({ quiet: 'ok', warn: 'warn', bad: 'bad' } as const)[meterTone(fraction)]
  const look = statusLook('Server', 'status', status)
  return [
    {
      label: t('server.health_q'),
      value:
        status === 'Healthy'
          ? uptime
            ? t('server.healthy', { uptime })
            : t('server.healthy_plain')
          : statusLabel('Server', 'status', status),
      tone: look?.tone ?? 'none',
      busy: look?.busy ?? false,
      detail: measured
        ? { value: measured, format: (when) => t(isLate ? 'server.measured_late' : 'server.measured', { when }) }
        : undefined,
    },
    {
      label: t('server.room_q'),
      value:
        fraction !== null
          ? t('server.room', { free: formatBytes(server.disk_free) })
          : sampled !== null
            ? t('server.room_sampled', { percent: formatPercent(sampled * 100) })
            : t('server.room_unknown'),
      tone,
      detail:
        fraction !== null
          ? t('server.room_detail', {
              used: formatBytes((server.disk ?? 0) - (server.disk_free ?? 0)),
              total: formatBytes(server.disk),
            })
          : sampled !== null && server.metrics_at
            ? { value: server.metrics_at, format: (when) => t('server.measured', { when }) }
            : undefined,
    },
    {
      label: t('server.sites_q'),
      value: sites === undefined ? null : sites === 0 ? t('server.sites_none') : t('server.sites', { count: sites }),
      detail: sites && live !== undefined ? t('server.sites_live', { count: live }) : undefined,
    },
  ]
}

/** The server's overview: summary cards, the machine, its sites, recent activity. */
export function ServerOverviewTab({ server }: { server: Server }) {
  const now = useNow(30_000)
  useDueMeasurement(server, now)
  const here = [
    ['server', '=', server.name],
    ['status', '!=', 'Archived'],
  ] as const
  const { data: total, error: totalError } = useCount('Site', { filters: here })
  const sites = useList('Site', {
    fields: ['name', 'domain', 'title', 'status', 'php_version', 'locked_by_job'],
    filters: here,
    order_by: 'domain asc',
    limit: sitesShown,
  })
  const sitesKnown = sites.data !== undefined || sites.error !== null
  const [activityKnown, setActivityKnown] = useState(false)
  const activityHere = useCallback(() => setActivityKnown(true), [])
  const live = useCount('Site', {
    filters: [
      ['server', '=', server.name],
      ['status', '=', 'Live'],
    ],
  }).data
  const seconds = secondsBetween(server.booted_at, null, now)
  const uptime = seconds === null ? server.uptime : formatDuration(Math.floor(seconds / 60) * 60)
  return (
    <>
      <ServerDriftNotice server={server} />
      <OutdatedNotice server={server} />
      <FoundSites server={server} />
      <SummaryCards items={summaryCards(server, now, uptime, total, live)} failed={totalError !== null} />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_360px]">
        <div className="grid min-w-0 gap-4">
          <ServerSites server={server.name} sites={sites.data} total={total} />
          <RevealWhenReady ready={sitesKnown}>
            <ServerAccess server={server} />
            <Card>
              <CardHead title={t('server.activity')}>
                <Link to={{ hash: '#activities' }} className="link">
                  {t('server.all')}
                </Link>
              </CardHead>
              <RecentActivity doctype="Server" name={server.name} onKnown={activityHere} />
            </Card>
          </RevealWhenReady>
        </div>
        <RevealWhenReady ready={sitesKnown && activityKnown} narrow>
          <ServerDetails server={server} uptime={uptime} />
        </RevealWhenReady>
      </div>
    </>
  )
}

function OutdatedNotice({ server }: { server: Server }) {
  if (!isEasyEngineOutdated(server.easyengine)) return null
  return (
    // [F]: the title
    <Notice tone="warn" title={t('server.outdated', { product: 'EasyEngine' })} className="mb-4">
      <p className="mt-0.5">
        {t('server.outdated_text', { installed: server.easyengine ?? '', newest: newestEasyEngine })}
      </p>
      <div className="mt-3 empty:hidden">
        <ActionButton type={ServerDoctype} doc={{ ...server, doctype: 'Server' }} name="upgrade_easyengine" size="md" />
      </div>
    </Notice>
  )
}

type SiteOfServer = Pick<Site, 'name' | 'domain' | 'title' | 'status' | 'php_version' | 'locked_by_job'>

function ServerSites({
  server,
  sites,
  total,
}: {
  server: string
  sites: readonly SiteOfServer[] | undefined
  total: number | undefined
}) {
  const all = listHref('/site', [
    ['server', '=', server],
    ['status', '!=', 'Archived'],
  ])
  return (
    <Card>
      <CardHead title={t('server.site_list')} lined>
        {total && total > sitesShown ? (
          <Link to={all} className="link">
            {t('server.site_list_all', { count: total })}
          </Link>
        ) : null}
      </CardHead>
      {sites?.length === 0 ? <p className="p-4 text-table text-muted">{t('server.sites_none')}</p> : null}
      <ul className="divide-y divide-hairline">
        {sites?.map((site) => (
          <li key={site.name} className="flex min-h-11 items-center gap-4 px-4 py-1.5 text-table">
            <span className="min-w-0 flex-1">
              <Link
                to={`/site/${encodeURIComponent(site.name)}`}
                className="block truncate font-medium hover:underline"
              >
                {siteName(site)}
              </Link>
              <span className="block truncate text-meta text-muted empty:hidden">{addressBesideName(site)}</span>
            </span>
            <DocStatus inset doctype="Site" value={site.status ?? ''} job={site.locked_by_job} />
          </li>
        ))}
      </ul>
    </Card>
  )
}
