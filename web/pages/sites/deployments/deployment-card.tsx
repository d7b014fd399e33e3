import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { shortCommit } from '#shared/rules/repositories.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { DocStatus } from '#web/documents/values/cells.tsx'
import { useList } from '#web/lib/api/frappe.tsx'
import { LocalizedText } from '#web/lib/i18n/localized-text.tsx'
import { boot } from '#web/lib/session/boot.ts'
import { sessionRoles, useSession } from '#web/lib/session/session.tsx'
import { ButtonLink } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { CopyableDetail } from '#web/ui/copyable-detail.tsx'
import { DetailList } from '#web/ui/detail-list.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Time } from '#web/ui/time.tsx'
import { t } from './messages.ts'

/** Deployments of a site from a repository. */
export function DeploymentCard({ site }: { site: Site }) {
  const isConnected = Boolean(site.repository)
  const { admin, owner } = sessionRoles(useSession())
  // The dialog starts with what is connected.
  const doc = {
    ...{ ...site, doctype: 'Site', branch: site.repo_branch ?? 'main' },
    path: isConnected ? (site.repo_path ?? '/') : site.site_type === 'wp' ? 'wp-content' : '/',
  }
  const connect = (
    <ActionButton
      type={SiteDoctype}
      doc={doc}
      name="connect_repository"
      label={t(isConnected ? 'change' : 'connect')}
      size="md"
    />
  )
  return (
    <Card aria-label={t('title')}>
      <CardHead title={t('title')} />
      <CardBody className="grid gap-4">
        <p className="text-table text-muted">{t('hint')}</p>
        {isConnected ? (
          <>
            <Deployed site={site} />
            <div className="flex flex-wrap gap-2">
              <ActionButton
                {...{ type: SiteDoctype, doc, name: 'deploy', label: t('deploy'), variant: 'primary', size: 'md' }}
                asks={false}
              />
              {connect}
              <ActionButton
                {...{ type: SiteDoctype, doc, name: 'disconnect_repository', label: t('disconnect'), size: 'md' }}
              />
            </div>
            <div className="grid gap-2">
              <CopyableDetail label={t('webhook')} value={new URL('/webhooks/github', boot().url).href} />
              <p className="text-meta text-muted">{t('webhook_hint')}</p>
            </div>
          </>
        ) : (
          <>
            <p className="text-table text-muted">{t('none')}</p>
            <span className="flex flex-wrap gap-2">
              {connect}
              {admin || owner ? (
                <ButtonLink to="/organization#github" size="md">
                  {t('account')}
                </ButtonLink>
              ) : null}
            </span>
          </>
        )}
        <Deployments site={site} isConnected={isConnected} />
      </CardBody>
    </Card>
  )
}

/** What is connected, and what of it is on the site. */
function Deployed({ site }: { site: Site }) {
  return (
    <DetailList
      details={[
        { label: t('repository'), value: <span translate="no">{site.repository}</span> },
        { label: t('branch'), value: <span translate="no">{site.repo_branch}</span> },
        { label: t('folder'), value: site.repo_path ? <span translate="no">{site.repo_path}</span> : t('root') },
        {
          label: t('deployed'),
          value: site.deployed_commit ? (
            <>
              <code>{shortCommit(site.deployed_commit)}</code>{' '}
              {site.deployed_at ? <Time value={site.deployed_at} variant="detail" /> : null}
            </>
          ) : (
            t(site.deployed_at ? 'unknown' : 'nothing')
          ),
        },
      ]}
    />
  )
}

/** How many are shown. */
const shown = 10

function Deployments({ site, isConnected }: { site: Site; isConnected: boolean }) {
  const read = useList('Deployment', {
    fields: [
      ...(['name', 'creation', 'commit', 'branch', 'author', 'message', 'status', 'files_changed', 'pushed'] as const),
      ...(['repository', 'path', 'job', 'error_message', 'error_message_i18n'] as const),
    ],
    filters: [['site', '=', site.name]],
    order_by: 'creation desc',
    limit: shown,
  })
  if (read.error && !read.data)
    return <ErrorPanel title={t('error')} error={read.error} onRetry={() => void read.reload()} />
  if (!read.data) return <Skeleton className="h-24 w-full" />
  if (read.data.length === 0) return isConnected ? <p className="text-table text-muted">{t('empty')}</p> : null
  return (
    <section aria-label={t('list')} className="grid gap-1">
      <h3 className="text-table font-medium">{t('list')}</h3>
      <ul className="divide-y divide-hairline">
        {read.data.map((one) => (
          <li key={one.name} className="flex flex-wrap items-center gap-x-4 gap-y-2 py-2 text-table">
            <span className="min-w-0 flex-1 basis-64">
              <span className="block wrap-anywhere">
                {one.commit ? <code>{shortCommit(one.commit)}</code> : t('finding', { branch: one.branch ?? '' })}{' '}
                <span translate="no">{one.message}</span>
              </span>
              <span className="text-meta text-muted">
                {one.author ? <span translate="no">{one.author} · </span> : null}
                <Time value={one.creation} variant="detail" />
                {one.files_changed === null ? '' : ` · ${t('files', { count: one.files_changed })}`}
                {one.pushed === 1 ? ` · ${t('pushed')}` : ''}
              </span>
              {one.error_message ? (
                <span className="block text-meta text-bad">
                  <LocalizedText text={one.error_message} i18n={one.error_message_i18n} />
                </span>
              ) : null}
            </span>
            <DocStatus doctype="Deployment" field="status" value={one.status ?? ''} job={one.job} />
            {one.status === 'Done' && one.repository === site.repository && one.path === site.repo_path ? (
              <ActionButton
                {...{ type: SiteDoctype, doc: { ...site, doctype: 'Site' }, name: 'roll_back', size: 'sm' }}
                args={{ deployment: one.name }}
                onlyPossible
              />
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  )
}
