import { useCallback, useEffect, useEffectEvent, useState } from 'react'
import { Link } from '#web/lib/routing/router.tsx'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { checkGraceSeconds, serverCheckSeconds, serverWatchSeconds } from '#shared/rules/site-check.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { RevealableValue } from '#web/documents/actions/revealable-value.tsx'
import { RecentActivity } from '#web/documents/activity/recent-activity.tsx'
import { DocStatus } from '#web/documents/values/cells.tsx'
import { listHref } from '#web/documents/query/list-href.ts'
import { valueLabel } from '#web/documents/query/list-query.ts'
import { usePeople } from '#web/documents/people.ts'
import { statusLabel, statusLook } from '#web/documents/values/status-tones.ts'
import { formatBytes, formatDuration, formatNumber, secondsBetween } from '#web/lib/i18n/format.ts'
import { useCount, useDoc, useList } from '#web/lib/api/frappe.tsx'
import { parseTime } from '#web/lib/i18n/format-day.ts'
import { useNow } from '#web/lib/browser/use-now.ts'
import { RevealWhenReady } from '#web/ui/reveal-when-ready.tsx'
import { SummaryCards, type SummaryCard } from '#web/ui/summary-cards.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { CopyableDetail } from '#web/ui/copyable-detail.tsx'
import { DetailList, type Detail } from '#web/ui/detail-list.tsx'
import { Time } from '#web/ui/time.tsx'
import { diskFraction, DiskMeter } from './capacity.tsx'
import { t } from './messages.ts'
import { ServerCosts, ServerDriftNotice } from './server-at-provider.tsx'
import { serverLocation } from './server-location.tsx'
import { meterTone } from '#web/ui/meter.tsx'

/** Maximum sites shown on a server's page; the rest is one click away. */
const sitesShown = 8

function toDetails(...entries: readonly [label: string, value: Detail['value']][]): Detail[] {
  return entries.flatMap(([label, value]) =>
    value === null || value === undefined || value === '' ? [] : [{ label, value }],
  )
}

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
      value: fraction === null ? t('server.room_unknown') : t('server.room', { free: formatBytes(server.disk_free) }),
      tone,
      detail:
        fraction === null
          ? undefined
          : t('server.room_detail', {
              used: formatBytes((server.disk ?? 0) - (server.disk_free ?? 0)),
              total: formatBytes(server.disk),
            }),
    },
    {
      label: t('server.sites_q'),
      value: sites === undefined ? null : sites === 0 ? t('server.sites_none') : t('server.sites', { count: sites }),
      detail: sites && live !== undefined ? t('server.sites_live', { count: live }) : undefined,
    },
  ]
}

/** Pending updates, security updates first; null if not reported. */
function updatesText({ pending_updates: all, security_updates: security }: Server): string | null {
  if (all === null || all === undefined) return null
  return security
    ? t('server.updates_security', { n: formatNumber(all), security: formatNumber(security) })
    : formatNumber(all)
}

/** The server's overview: summary cards, the machine, its sites, recent activity. */
export function ServerOverviewTab({ server }: { server: Server }) {
  const now = useNow(30_000)
  useDueMeasurement(server, now)
  const person = usePeople([server._owner])
  const here = [
    ['server', '=', server.name],
    ['status', '!=', 'Archived'],
  ] as const
  const { data: total, error: totalError } = useCount('Site', { filters: here })
  const sites = useList('Site', {
    fields: ['name', 'domain', 'status', 'php_version', 'locked_by_job'],
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
  const addresses = toDetails(
    [t('server.ipv4'), server.public_ipv4],
    [t('server.ipv6'), server.public_ipv6],
    [t('server.private_ipv4'), server.private_ipv4],
    [t('server.private_ipv6'), server.private_ipv6],
    [t('server.floating_ip'), server.floating_ip],
  )
  const machine = toDetails(
    [t('server.os'), server.os],
    [t('server.kernel'), server.kernel],
    [t('server.processor'), server.processor],
    [t('server.cpu'), server.cpu ? t('servers.cores', { count: server.cpu }) : null],
    [t('server.ram'), formatBytes(server.ram)],
    [
      t('server.swap'),
      server.total_swap === null || server.total_swap === undefined ? null : formatBytes(server.total_swap),
    ],
    [t('server.timezone'), server.timezone],
    [t('server.uptime'), uptime],
  )
  const software = toDetails(
    [t('server.easyengine'), server.easyengine],
    [t('server.docker'), server.docker],
    [t('server.docker_compose'), server.docker_compose],
    [t('server.python'), server.python],
    [t('server.updates'), updatesText(server)],
  )
  const general = toDetails(
    [
      t('server.category'),
      server.server_category ? valueLabel(ServerDoctype, 'server_category', server.server_category) : null,
    ],
    [t('server.region'), serverLocation(server)],
    [t('server.plan'), server.vm_type ?? server.plan],
    [
      t('server.provider'),
      server.cloud_provider ? valueLabel(ServerDoctype, 'cloud_provider', server.cloud_provider) : null,
    ],
    [t('server.owner'), server._owner ? person(server._owner) : null],
    [t('server.created'), <Time variant="detail" key="created" value={server.creation} />],
  )
  return (
    <>
      <ServerDriftNotice server={server} />
      <SummaryCards items={summaryCards(server, now, uptime, total, live)} failed={totalError !== null} />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_360px]">
        <div className="grid min-w-0 gap-4">
          <ServerSites server={server.name} sites={sites.data} total={total} />
          <RevealWhenReady ready={sitesKnown}>
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
          <div className="grid min-w-0 gap-4">
            {diskFraction(server) === null ? null : (
              <Card>
                <CardHead title={t('server.capacity')} />
                <CardBody>
                  <DiskMeter server={server} />
                </CardBody>
              </Card>
            )}
            <ServerCosts server={server} />
            {machine.length > 0 ? (
              <Card>
                <CardHead title={t('server.machine')} />
                <CardBody>
                  <DetailList details={machine} />
                </CardBody>
              </Card>
            ) : null}
            {software.length > 0 ? (
              <Card>
                <CardHead title={t('server.software')} />
                <CardBody>
                  <DetailList details={software} />
                </CardBody>
              </Card>
            ) : null}
            <Card>
              <CardHead title={t('server.general')} />
              <CardBody>
                <DetailList details={general} />
              </CardBody>
            </Card>
            {server.randomised_http_auth || server.default_site_password ? (
              <Card>
                <CardHead title={t('server.passwords')} />
                <CardBody className="grid gap-3">
                  <RevealableValue type={ServerDoctype} doc={{ ...server }} field="randomised_http_auth" />
                  <RevealableValue type={ServerDoctype} doc={{ ...server }} field="default_site_password" />
                </CardBody>
              </Card>
            ) : null}
            {addresses.length > 0 ? (
              <Card>
                <CardHead title={t('server.network')} />
                <CardBody className="grid gap-2">
                  {addresses.map((detail) => (
                    <CopyableDetail key={detail.label} label={detail.label} value={String(detail.value)} />
                  ))}
                </CardBody>
              </Card>
            ) : null}
          </div>
        </RevealWhenReady>
      </div>
    </>
  )
}

type SiteOfServer = Pick<Site, 'name' | 'domain' | 'status' | 'php_version' | 'locked_by_job'>

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
            <Link
              to={`/site/${encodeURIComponent(site.name)}`}
              className="min-w-0 flex-1 truncate font-medium hover:underline"
            >
              {site.domain}
            </Link>
            <DocStatus inset doctype="Site" value={site.status ?? ''} job={site.locked_by_job} />
          </li>
        ))}
      </ul>
    </Card>
  )
}
