import { Cloud, Plus } from 'lucide-react'
import { lazy, Suspense, useMemo, useState } from 'react'
import { WpcSiteDoctype } from '#shared/doctypes/wpc-site.ts'
import { wpcSiteAttention } from '#shared/rules/site-attention.ts'
import { CreateButton } from '#web/documents/form/create-button.tsx'
import { DocumentList } from '#web/documents/list/list.tsx'
import type { ListView } from '#web/documents/query/saved-views.ts'
import { useCount } from '#web/lib/api/frappe.tsx'
import { formatBytes } from '#web/lib/i18n/format.ts'
import { sessionRoles, useSession } from '#web/lib/session/session.tsx'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { PageHead, StickyAction } from '#web/ui/page-head.tsx'
import { SiteNoticeLine } from '../site-notice.tsx'
import { canCreateAtWpCloud } from './can-create.ts'
import { t } from './messages.ts'

const ImportDialog = lazy(() => import('./import-dialog.tsx').then((module) => ({ default: module.ImportDialog })))

function CreateHere({ className, plain }: { className?: string; plain?: boolean }) {
  return (
    <CreateButton to="/site/create" search="?where=wp-cloud" className={className} plain={plain}>
      <Plus size={16} strokeWidth={1.75} aria-hidden="true" />
      {t('list.create')}
    </CreateButton>
  )
}

/** All sites at WP Cloud that the user can see. */
export function WpcSiteListPage() {
  return useSession().modules.wpc ? <WpcSiteList /> : <WpCloudOff />
}

function WpcSiteList() {
  const canCreate = canCreateAtWpCloud(useSession())
  const total = useCount('WPC Site', {}).data
  const [importing, setImporting] = useState(false)
  const views: ListView[] = useMemo(
    () => [
      { key: 'all', label: t('list.all'), filters: [] },
      { key: 'attention', label: t('list.attention'), filters: wpcSiteAttention },
    ],
    [],
  )
  return (
    <>
      <PageHead title={t('list.title')} subtitle={total === undefined ? null : t('list.count', { count: total })}>
        {canCreate ? (
          <>
            <Button onClick={() => setImporting(true)}>{t('import.button')}</Button>
            <CreateHere className="max-md:hidden" />
          </>
        ) : null}
      </PageHead>
      <SiteNoticeLine />
      <DocumentList
        type={WpcSiteDoctype}
        columns={[
          { field: 'domain' },
          { field: 'status', card: true, stays: true },
          { field: 'data_center', from: 'desktop', unsortable: true },
          { field: 'wordpress_version', from: 'desktop' },
          { field: 'php_version' },
          {
            field: 'space_used',
            right: true,
            unsortable: true,
            also: ['space_quota'],
            render: ({ space_used: used }) => (used ? formatBytes(used) : null),
          },
        ]}
        views={views}
        errorTitle={t('list.error')}
        href={(row) => `/site/${encodeURIComponent(row.name)}`}
        empty={
          <EmptyState
            icon={<Cloud size={20} strokeWidth={1.75} />}
            title={t('list.empty_title')}
            action={canCreate ? <CreateHere plain className="max-md:hidden" /> : undefined}
          >
            {t(canCreate ? 'list.empty_create' : 'list.empty')}
          </EmptyState>
        }
      />
      {importing ? (
        <Suspense>
          <ImportDialog onClose={() => setImporting(false)} />
        </Suspense>
      ) : null}
      {canCreate ? (
        <StickyAction>
          <CreateHere />
        </StickyAction>
      ) : null}
    </>
  )
}

/** Who can turn the module on. */
function WpCloudOff() {
  const { admin, owner } = sessionRoles(useSession())
  return (
    <>
      <PageHead title={t('list.title')} />
      <div className="rounded-card border border-border bg-surface shadow-xs">
        <EmptyState
          icon={<Cloud size={20} strokeWidth={1.75} />}
          title={t('off.title')}
          action={admin || owner ? <ButtonLink to="/organization#overview">{t('off.settings')}</ButtonLink> : undefined}
        >
          {t(owner ? 'off.owner' : 'off.text')}
        </EmptyState>
      </div>
    </>
  )
}
