import { lazy, Suspense, useEffect, useEffectEvent } from 'react'
import { Link } from '#web/lib/routing/router.tsx'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { filesFolder } from '#shared/responses/files-folder.ts'
import { useActions } from '#web/documents/actions/use-actions.ts'
import { useDoc, useMethod } from '#web/lib/api/frappe.tsx'
import { DocStatus } from '#web/documents/values/cells.tsx'
import { RecentActivity } from '#web/documents/activity/recent-activity.tsx'
import { usePeople } from '#web/documents/people.ts'
import { valueLabel } from '#web/documents/query/list-query.ts'
import { sessionRoles, useSession } from '#web/lib/session/session.tsx'
import { SummaryCards } from '#web/ui/summary-cards.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { CopyableDetail } from '#web/ui/copyable-detail.tsx'
import { DetailList, type Detail } from '#web/ui/detail-list.tsx'
import { StatusIcon } from '#web/ui/status.tsx'
import { Time } from '#web/ui/time.tsx'
import { LastBackup } from './backups/last-backup.tsx'
import { useClonedFrom } from './copies/cloned-from.tsx'
import { databaseKind } from './database-kind.ts'
import { DomainsCard, domainsOf } from './domains-card.tsx'
import { t } from './messages.ts'
import { oldWordPressText } from './wordpress-version.tsx'
import { isCheckDue, siteSummary } from './site-summary.ts'
import { useNow } from '#web/lib/browser/use-now.ts'
import { RunningCopies } from './copies/running-copies.tsx'
import { SiteStatePanel } from './site-state-panel.tsx'
import { isUnpacked, storageDetails } from './storage-details.ts'

/** Whether there is an export to fetch, or a report about an import. Fields without a value are not sent. */
const hasPortableCards = ({ export_bytes: bytes, import_defects: defects }: Site): boolean =>
  typeof bytes === 'number' || typeof defects === 'number'
const PortableCards = lazy(async () => ({ default: (await import('./portable/portable-cards.tsx')).PortableCards }))

/** Reads the site again while its next check is due, because checks that change nothing send no events. */
function useDueCheck(site: Site, now: number): void {
  const { reload } = useDoc('Site', site.name)
  const read = useEffectEvent(() => void reload())
  const isDue = isCheckDue(site, now)
  useEffect(() => {
    if (isDue) read()
  }, [isDue, now])
}

/**
 * The site's overview: summary cards, current state, details, values to copy, recent activity. `server`: title of its server;
 * null if the user can't see it, undefined before it is loaded, or when that failed.
 */
export function SiteOverviewTab({
  site,
  server,
  serverFailed,
}: {
  site: Site
  server: string | null | undefined
  serverFailed: boolean
}) {
  const session = useSession()
  const { privileged } = sessionRoles(session)
  const person = usePeople([site.createdby_email])
  const now = useNow(30_000)
  useDueCheck(site, now)
  // Members have no server pages (docs/contracts/screens.md, section 2, rule 8).
  const opensServer = session.modules.ee && privileged
  const serverHref = opensServer ? `/server/${encodeURIComponent(site.server)}` : undefined
  // What does not run can't be updated or opened.
  const isThere = isUnpacked(site)
  const oldWordPress = isThere ? oldWordPressText(site) : null
  const clonedFrom = useClonedFrom(site)
  const database = databaseKind(site)
  const details: Detail[] = [
    // Title, type and versions are in the heading and the summary cards; what to do about an older WordPress is said here.
    ...(oldWordPress !== null
      ? [{ label: t('site.update'), value: <StatusIcon tone="warn" size={14} />, note: oldWordPress }]
      : []),
    // Hidden until it was checked.
    ...(site.wordpress_checksum && site.wordpress_checksum !== 'Not Checked'
      ? [
          {
            label: t('site.checksum'),
            value: <DocStatus doctype="Site" field="wordpress_checksum" value={site.wordpress_checksum} />,
          },
        ]
      : []),
    ...(site.cloud_provider
      ? [{ label: t('site.provider'), value: valueLabel(SiteDoctype, 'cloud_provider', site.cloud_provider) }]
      : []),
    ...(site.multisite
      ? [
          {
            label: t('create.sum_multisite'),
            value: t(site.multisite === 'subdom' ? 'create.multisite_subdom' : 'create.multisite_subdir'),
          },
        ]
      : []),
    ...(database ? [{ label: t('site.database'), value: database.label, note: database.meaning }] : []),
    ...storageDetails(site),
    ...(site.client ? [{ label: t('site.client'), value: <span translate="no">{site.client}</span> }] : []),
    ...(site.project ? [{ label: t('site.project'), value: <span translate="no">{site.project}</span> }] : []),
    ...clonedFrom,
    { label: t('site.last_backup'), value: <LastBackup site={site} /> },
    ...(site.createdby_email ? [{ label: t('site.owner'), value: person(site.createdby_email) }] : []),
    ...(site.thumbnail && site.thumbnail_taken
      ? [{ label: t('site.screenshot_taken'), value: <Time variant="detail" value={site.thumbnail_taken} /> }]
      : []),
    { label: t('site.created'), value: <Time variant="detail" value={site.creation} /> },
  ]
  return (
    <>
      <SummaryCards items={siteSummary(site, { title: server, href: serverHref }, now)} failed={serverFailed} />
      <SiteStatePanel site={site} />
      <RunningCopies site={site} />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_360px]">
        <div className="grid min-w-0 gap-4">
          {hasPortableCards(site) ? (
            <Suspense>
              <PortableCards site={site} />
            </Suspense>
          ) : null}
          <Card>
            <CardHead title={t('site.details')} />
            <CardBody>
              <DetailList wide details={details} />
            </CardBody>
          </Card>
          {site.notes ? (
            <Card aria-label={t('site.notes')}>
              <CardHead title={t('site.notes')} />
              <CardBody className="text-table whitespace-pre-wrap wrap-anywhere" translate="no">
                {site.notes}
              </CardBody>
            </Card>
          ) : null}
          <Card>
            <CardHead title={t('site.activity')}>
              <Link to={{ hash: '#activities' }} className="link">
                {t('site.all')}
              </Link>
            </CardHead>
            <RecentActivity doctype="Site" name={site.name} />
          </Card>
        </div>
        <div className="grid min-w-0 gap-4">
          {/* The address of a site with one domain is in the heading. */}
          {domainsOf(site).length > 1 ? <DomainsCard site={site} /> : null}
          <AccessCard site={site} />
        </div>
      </div>
    </>
  )
}

/** As whom the admin opens, for those who can open it. */
function OwnUserHint({ site }: { site: Site }) {
  const canOpen = useActions(SiteDoctype, { ...site, doctype: 'Site' }).some(({ name }) => name === 'login_link')
  return canOpen ? <p className="text-meta text-muted">{t('site.admin_as')}</p> : null
}

/** How to get at the site, as far as one can see it. */
function AccessCard({ site }: { site: Site }) {
  const isThere = isUnpacked(site)
  const isWordPress = site.site_type === 'wp'
  const folder = useFilesFolder(isThere && !isWordPress ? site : null)
  const { url, admin_user: user, admin_email: email } = site
  if (!(isWordPress && isThere) && !folder && !user && !email) return null
  return (
    <Card>
      <CardHead title={t('site.access')} />
      <CardBody className="grid gap-2">
        {url && isWordPress && isThere ? <CopyableDetail label={t('site.admin')} value={`${url}/wp-admin/`} /> : null}
        {folder ? (
          <>
            <CopyableDetail label={t('site.files_folder')} value={folder} />
            <p className="text-meta text-muted">
              {t(site.engine === 'local' ? 'site.files_hint' : 'site.files_hint_server')}{' '}
              <Link to={{ hash: '#files' }} className="link">
                {t('site.files_open')}
              </Link>
            </p>
          </>
        ) : null}
        {user ? <CopyableDetail label={t('site.user')} value={user} /> : null}
        {email ? <CopyableDetail label={t('site.email')} value={email} /> : null}
        {isWordPress && isThere ? <OwnUserHint site={site} /> : null}
      </CardBody>
    </Card>
  )
}

/** Where the files of a PHP or HTML site are, for those who can change the site. */
function useFilesFolder(site: Site | null): string | null | undefined {
  const canRead = useActions(SiteDoctype, site && { ...site, doctype: 'Site' }).some(
    ({ name }) => name === 'files_folder',
  )
  const { data } = useMethod(
    site !== null && canRead ? 'run_doc_method' : null,
    { dt: 'Site', dn: site?.name, method: 'files_folder' },
    { verb: 'POST', returns: filesFolder },
  )
  return data?.folder
}
