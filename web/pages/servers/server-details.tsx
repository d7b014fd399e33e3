import type { ReactNode } from 'react'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { machineName } from '#shared/rules/machine-names.ts'
import { RevealableValue } from '#web/documents/actions/revealable-value.tsx'
import { usePeople } from '#web/documents/people.ts'
import { valueLabel } from '#web/documents/query/list-query.ts'
import { formatBytes, formatNumber } from '#web/lib/i18n/format.ts'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { CopyableDetail } from '#web/ui/copyable-detail.tsx'
import { DetailList, type Detail } from '#web/ui/detail-list.tsx'
import { Time } from '#web/ui/time.tsx'
import { diskFraction, DiskMeter } from './capacity.tsx'
import { t } from './messages.ts'
import { ServerCosts } from './server-at-provider.tsx'
import { serverLocation } from '#web/features/servers/server-location.tsx'
import { serverPrice } from './server-price.ts'

function toDetails(...entries: readonly [label: string, value: Detail['value']][]): Detail[] {
  return entries.flatMap(([label, value]) =>
    value === null || value === undefined || value === '' ? [] : [{ label, value }],
  )
}

/** What a server is, as last measured. `uptime`: as text. */
export function ServerDetails({ server, uptime }: { server: Server; uptime: string | null }) {
  const person = usePeople([server._owner])
  return (
    <div className="grid min-w-0 gap-4">
      {diskFraction(server) === null ? null : (
        <DetailsCard title={t('server.capacity')}>
          <DiskMeter server={server} />
        </DetailsCard>
      )}
      <ServerCosts server={server} />
      <DetailsCard title={t('server.machine')} details={machineOf(server, uptime)} />
      <DetailsCard title={t('server.software')} details={softwareOf(server)} />
      <DetailsCard
        title={t('server.general')}
        details={generalOf(server, server._owner ? person(server._owner) : null)}
      />
    </div>
  )
}

/** A card of details, or of something else; nothing if there are no details. */
function DetailsCard({
  title,
  details,
  children = details && <DetailList details={details} />,
}: {
  title: string
  details?: readonly Detail[]
  children?: ReactNode
}) {
  if (details?.length === 0) return null
  return (
    <Card>
      <CardHead title={title} />
      <CardBody className="grid gap-2">{children}</CardBody>
    </Card>
  )
}

function machineOf(server: Server, uptime: string | null): Detail[] {
  const { total_swap: swap, vm_ebs_size: size } = server
  return toDetails(
    [t('server.os'), server.os],
    [t('server.kernel'), server.kernel],
    [t('server.processor'), server.processor],
    [t('server.cpu'), server.cpu ? t('servers.cores', { count: server.cpu }) : null],
    [t('server.ram'), formatBytes(server.ram)],
    [t('server.swap'), typeof swap === 'number' ? formatBytes(swap) : null],
    // Disks of the other providers come with the machine.
    [
      t('server.ebs'),
      server.cloud_provider === 'AWS' && size ? t('server.gigabytes', { size: formatNumber(size) }) : null,
    ],
    [t('server.timezone'), server.timezone],
    [t('server.uptime'), uptime],
  )
}

function softwareOf(server: Server): Detail[] {
  return toDetails(
    [t('server.easyengine'), server.easyengine],
    [t('server.docker'), server.docker],
    [t('server.docker_compose'), server.docker_compose],
    [t('server.python'), server.python],
    [t('server.updates'), pendingUpdates(server)],
  )
}

/** Pending updates, security updates first; null if not reported. */
export function pendingUpdates({ pending_updates: all, security_updates: security }: Server): string | null {
  if (typeof all !== 'number') return null
  return security
    ? t('server.updates_security', { n: formatNumber(all), security: formatNumber(security) })
    : formatNumber(all)
}

function generalOf(server: Server, owner: string | null): Detail[] {
  const { server_category: category, cloud_provider: provider } = server
  const { monthly, hourly } = serverPrice(server)
  return toDetails(
    [t('server.category'), category ? valueLabel(ServerDoctype, 'server_category', category) : null],
    [t('server.provider'), provider ? valueLabel(ServerDoctype, 'cloud_provider', provider) : null],
    [t('server.region'), serverLocation(server)],
    [t('server.plan'), server.vm_type ? machineName(provider, server.vm_type) : server.plan],
    [t('server.image'), server.vm_image],
    [t('server.price_monthly'), monthly],
    [t('server.price_hourly'), hourly],
    [t('server.imported'), server.is_imported_with_ee === 1 ? t('server.imported_yes') : null],
    [t('server.ed_status'), server.ed_status],
    [t('server.owner'), owner],
    [t('server.created'), <Time variant="detail" key="created" value={server.creation} />],
  )
}

/** How to reach a server, and what new sites on it get. */
export function ServerAccess({ server }: { server: Server }) {
  const addresses = [
    [t('server.ipv4'), server.public_ipv4],
    [t('server.ipv6'), server.public_ipv6],
    [t('server.private_ipv4'), server.private_ipv4],
    [t('server.private_ipv6'), server.private_ipv6],
    [t('server.floating_ip'), server.floating_ip],
    [t('server.imported_ipv4'), server.public_ipv4_server_import],
  ] as const
  return (
    <>
      {addresses.some(([, value]) => value) ? (
        <DetailsCard title={t('server.network')}>
          {addresses.map(([label, value]) =>
            value ? <CopyableDetail key={label} label={label} value={value} /> : null,
          )}
        </DetailsCard>
      ) : null}
      <Credentials server={server} />
    </>
  )
}

/** What new sites get, and what protects the admin tools; the passwords for those who may know them. */
function Credentials({ server }: { server: Server }) {
  const { default_site_username: user, default_site_password: password, randomised_http_auth: auth } = server
  if (!user && !password && !auth) return null
  return (
    <Card>
      <CardHead title={t('server.credentials')} />
      <CardBody className="grid gap-3">
        {user ? <CopyableDetail label={t('server.site_user')} value={user} /> : null}
        <RevealableValue type={ServerDoctype} doc={{ ...server }} field="default_site_password" />
        <RevealableValue type={ServerDoctype} doc={{ ...server }} field="randomised_http_auth" />
      </CardBody>
    </Card>
  )
}
