import { SlidersHorizontal } from 'lucide-react'
import { organizationsPage, type PlatformOrganization } from '#shared/responses/platform.ts'
import { isLimited, planNames } from '#shared/rules/plans.ts'
import type { LimitedResource } from '#shared/rules/limited-resources.ts'
import { methodListCurl } from '#web/documents/actions/copy-as.ts'
import type { RowColumn } from '#web/documents/list/column-rows.tsx'
import { cx } from '#web/lib/browser/cx.ts'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { IconButton } from '#web/ui/icon-button.tsx'
import { StatusPill } from '#web/ui/status.tsx'
import { Time } from '#web/ui/time.tsx'
import { platformMethod } from './methods.ts'
import { OrganizationDrawer } from './organization-drawer.tsx'
import { PagedList } from './paged-list.tsx'
import { usePlansEnabled } from './platform-settings.ts'
import { pageParams, useTabQuery } from './tab-query.ts'
import { t } from './messages.ts'

const yesNo = [
  { value: '1', label: t('common.yes') },
  { value: '0', label: t('common.no') },
]

/** All organizations of the installation. */
export function OrganizationsTab() {
  const [query, change] = useTabQuery('organizations', ['plan', 'enabled', 'local_engine'])
  const plansEnabled = usePlansEnabled()
  const params = { ...(query.text !== '' && { txt: query.text }), ...pageParams(query) }
  const list = useMethod(platformMethod('organizations'), params, {
    keepPrevious: true,
    returns: organizationsPage,
  })
  const columns: readonly RowColumn<PlatformOrganization>[] = [
    {
      key: 'title',
      head: t('organizations.organization'),
      cell: (row) => (
        <button
          type="button"
          className="text-left hover:underline touch:py-1"
          onClick={() => change({ open: row.name })}
        >
          <span className="block">{row.title}</span>
          <span className="block text-meta font-normal text-muted">{row.name}</span>
        </button>
      ),
    },
    {
      key: 'status',
      head: t('organizations.status'),
      cell: (row) =>
        row.enabled === 1 ? (
          <StatusPill tone="ok">{t('organizations.enabled')}</StatusPill>
        ) : (
          <StatusPill tone="bad" inset>
            {t('organizations.disabled')}
          </StatusPill>
        ),
    },
    ...(plansEnabled
      ? [
          {
            key: 'plan',
            head: t('organizations.plan'),
            cell: (row: PlatformOrganization) => row.plan ?? t('common.none'),
          },
        ]
      : []),
    {
      key: 'site',
      head: t('organizations.sites'),
      right: true,
      cell: (row) => <Use organization={row} resource="site" />,
    },
    {
      key: 'server',
      head: t('organizations.servers'),
      right: true,
      cell: (row) => <Use organization={row} resource="server" />,
    },
    {
      key: 'members',
      head: t('organizations.members'),
      right: true,
      wide: true,
      cell: (row) => formatNumber(row.members),
    },
    {
      key: 'local_engine',
      head: t('organizations.local_engine'),
      cell: (row) => (row.local_engine === 1 ? t('common.yes') : t('common.no')),
    },
    { key: 'owner', head: t('organizations.owner'), wide: true, cell: (row) => row.owner ?? t('common.none') },
    {
      key: 'creation',
      head: t('organizations.created'),
      wide: true,
      cell: (row) => <Time value={row.creation} className="text-muted" />,
    },
  ]
  return (
    <>
      <PagedList
        label={t('platform.organizations')}
        query={query}
        onChange={change}
        loaded={list}
        rows={list.data?.organizations}
        total={list.data?.total ?? 0}
        rowKey={(row) => row.name}
        columns={columns}
        command={() => methodListCurl(platformMethod('organizations'), params, location.origin)}
        actions={(row) => (
          <IconButton
            label={t('organizations.manage', { title: row.title })}
            onClick={() => change({ open: row.name })}
          >
            <SlidersHorizontal size={16} strokeWidth={1.75} aria-hidden="true" />
          </IconButton>
        )}
        search={t('organizations.search')}
        filters={[
          ...(plansEnabled
            ? [
                {
                  name: 'plan' as const,
                  label: t('organizations.plan'),
                  options: planNames.map((plan) => ({ value: plan, label: plan })),
                },
              ]
            : []),
          {
            name: 'enabled',
            label: t('organizations.status'),
            options: [
              { value: '1', label: t('organizations.enabled') },
              { value: '0', label: t('organizations.disabled') },
            ],
          },
          { name: 'local_engine', label: t('organizations.local_engine'), options: yesNo },
        ]}
        errorTitle={t('organizations.error')}
        empty={{ title: t('organizations.empty_title'), text: t('organizations.empty') }}
      />
      <OrganizationDrawer
        name={query.open}
        shown={list.data?.organizations.find((row) => row.name === query.open)}
        onClose={() => change({ open: null })}
        onChanged={() => list.reload()}
      />
    </>
  )
}

/** "3 of 5"; only the usage if there is no limit. */
function Use({ organization, resource }: { organization: PlatformOrganization; resource: LimitedResource }) {
  const used = organization.usage[resource]
  const limit = organization.limits[resource]
  if (!isLimited(limit)) return <>{formatNumber(used)}</>
  return (
    <span className={cx('whitespace-nowrap', used > limit ? 'font-medium text-bad' : used === limit && 'text-warn')}>
      {t('common.of', { n: formatNumber(used), total: formatNumber(limit) })}
    </span>
  )
}
