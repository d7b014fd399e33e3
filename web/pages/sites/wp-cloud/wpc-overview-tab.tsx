import type { WpcSite } from '#shared/doctypes/wpc-site.ts'
import { RecentActivity } from '#web/documents/activity/recent-activity.tsx'
import { usePeople } from '#web/documents/people.ts'
import { formatBytes } from '#web/lib/i18n/format.ts'
import { Link } from '#web/lib/routing/router.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { DetailList, type Detail } from '#web/ui/detail-list.tsx'
import { Time } from '#web/ui/time.tsx'
import { aliasesOf, gigabytes } from './site-texts.ts'
import { t } from './messages.ts'

/** What a site at WP Cloud is, as it was last read there. */
export function WpcOverviewTab({ site }: { site: WpcSite }) {
  const person = usePeople([site.createdby_email])
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_360px]">
      <div className="grid min-w-0 gap-4">
        <Card>
          <CardHead title={t('site.general')} />
          <CardBody>
            <DetailList
              details={known([
                [t('site.domain'), site.domain],
                [t('site.aliases'), aliasesOf(site).join(', ') || t('site.no_aliases')],
                [t('site.admin_user'), site.admin_user],
                [t('site.admin_email'), site.admin_email],
                [t('site.owner'), site.createdby_email ? person(site.createdby_email) : null],
                [t('site.created'), <Time key="created" variant="detail" value={site.creation} />],
                [t('site.id'), site.atomic_site_id],
              ])}
            />
          </CardBody>
        </Card>
        <Card>
          <CardHead title={t('site.activity')}>
            <Link to={{ hash: '#activities' }} className="link">
              {t('site.all')}
            </Link>
          </CardHead>
          <RecentActivity doctype="WPC Site" name={site.name} />
        </Card>
      </div>
      <Resources site={site} />
    </div>
  )
}

const known = (entries: readonly (readonly [label: string, value: Detail['value']])[]): Detail[] =>
  entries.flatMap(([label, value]) => (value === null || value === undefined ? [] : [{ label, value }]))

function Resources({ site }: { site: WpcSite }) {
  const { space_used: used, checked_at: read } = site
  const quota = gigabytes(site)
  return (
    <Card>
      <CardHead title={t('site.resources')} />
      <CardBody className="grid gap-3">
        <DetailList
          details={known([
            [t('site.wordpress'), site.wordpress_version],
            [t('site.php'), site.php_version],
            [t('site.memory'), site.memory_mb ? t('site.megabytes', { size: site.memory_mb }) : null],
            [t('site.workers'), site.workers],
            [t('site.burst'), read === null ? null : t(site.burst === 1 ? 'site.on' : 'site.off')],
            [
              t('site.storage'),
              used !== null && quota ? t('site.storage_used', { used: formatBytes(used), quota: quota }) : quota,
            ],
            [t('site.place'), site.data_center],
            [
              t('site.defended'),
              site.defensive_until ? <Time key="until" variant="detail" value={site.defensive_until} /> : null,
            ],
          ])}
        />
        {read ? (
          <p className="text-meta text-muted">
            <Time value={read} variant="standalone" format={(when) => t('site.read', { when })} />
          </p>
        ) : null}
      </CardBody>
    </Card>
  )
}
