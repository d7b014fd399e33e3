import type { Site } from '#shared/doctypes/site.ts'
import { addressBesideName, siteName } from '#shared/rules/display-name.ts'
import { DocStatus } from '#web/documents/values/cells.tsx'
import { useList } from '#web/lib/api/frappe.tsx'
import { useListEvents } from '#web/lib/events/use-events.ts'
import { Link } from '#web/lib/routing/router.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Time } from '#web/ui/time.tsx'
import { CreateStaging } from '../copies/use-clone.tsx'
import { t } from './messages.ts'
import { PushPanel } from './push-panel.tsx'
import { RollBackButton } from './roll-back-dialog.tsx'

/** Staging sites of a site, or what a staging site can do for its source. */
export function StagingTab({ site }: { site: Site }) {
  return site.staging_of ? <OfSource site={site} source={site.staging_of} /> : <OwnStaging site={site} />
}

function OfSource({ site, source }: { site: Site; source: string }) {
  const found = useList('Site', { fields: ['name', 'domain', 'title'], filters: [['name', '=', source]], limit: 1 })
  const live = found.data?.[0]
  const address = live ? addressBesideName(live) : null
  if (found.error && !found.data)
    return <ErrorPanel title={t('staging.error')} error={found.error} onRetry={() => found.reload()} />
  if (found.data === undefined) return <Skeleton className="h-48 w-full rounded-card" />
  return (
    <div className="grid gap-4">
      <p className="text-table">
        {live ? (
          <>
            {t('staging.of')}{' '}
            <Link to={`/site/${encodeURIComponent(live.name)}`} className="link" translate="no">
              {siteName(live)}
            </Link>
            {address === null ? null : (
              <span className="text-muted" translate="no">
                {' '}
                {address}
              </span>
            )}
            {'. '}
            <span className="text-muted">{t('staging.password')}</span>
          </>
        ) : (
          t('staging.gone')
        )}
      </p>
      {live ? <PushPanel site={site} live={siteName(live)} /> : null}
    </div>
  )
}

/** Why a site can't have a staging site. */
function reasonOf({ multisite, engine, site_type, with_database }: Site) {
  if (multisite) return engine === 'local' ? 'staging.network' : 'staging.network_on_server'
  return site_type === 'php' && with_database === 1 ? 'staging.php_database' : null
}

function OwnStaging({ site }: { site: Site }) {
  const reason = reasonOf(site)
  const list = useList('Site', {
    fields: ['name', 'domain', 'title', 'status', 'creation', 'locked_by_job'],
    filters: [['staging_of', '=', site.name]],
    order_by: 'creation desc',
    limit: 50,
  })
  useListEvents('Site', () => void list.reload())
  return (
    <div className="grid gap-4">
      <Card aria-labelledby="staging-sites">
        <CardHead id="staging-sites" title={t('staging.sites')} lined />
        {list.error && !list.data ? (
          <ErrorPanel title={t('staging.error')} error={list.error} onRetry={() => list.reload()} />
        ) : list.data === undefined ? (
          <Skeleton className="m-4 h-12 rounded-card" />
        ) : list.data.length === 0 ? null : (
          <ul className="divide-y divide-hairline">
            {list.data.map(({ name, domain, title, status, creation, locked_by_job: job }) => (
              <li key={name} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 text-table">
                <Link
                  to={{ pathname: `/site/${encodeURIComponent(name)}`, hash: '#staging' }}
                  className="link min-w-0 font-medium wrap-anywhere"
                  translate="no"
                >
                  {siteName({ title, domain })}
                </Link>
                <span className="min-w-0 text-meta text-muted wrap-anywhere empty:hidden" translate="no">
                  {addressBesideName({ title, domain })}
                </span>
                <DocStatus doctype="Site" value={status ?? 'Setting Up'} job={job ?? null} />
                <span className="ml-auto text-meta text-muted">
                  {t('staging.created')} <Time variant="detail" value={creation} />
                </span>
              </li>
            ))}
          </ul>
        )}
        <CardBody className="grid justify-items-start gap-3 pt-3">
          {list.data?.length === 0 ? <p className="text-table">{t('staging.none', { site: siteName(site) })}</p> : null}
          <p className="text-table text-muted">{t(reason ?? 'staging.sites_hint')}</p>
          {reason ? null : <CreateStaging site={site} />}
        </CardBody>
      </Card>
      {site.pushed_at ? (
        <Card aria-labelledby="staging-kept">
          <CardHead id="staging-kept" title={t('staging.kept')}>
            <span className="text-meta text-muted">
              <Time variant="detail" value={site.pushed_at} />
            </span>
          </CardHead>
          <CardBody className="grid justify-items-start gap-3">
            <p className="text-table text-muted">{t('staging.kept_hint', { name: site.pushed_from ?? '' })}</p>
            <RollBackButton site={site} />
          </CardBody>
        </Card>
      ) : null}
    </div>
  )
}
