import { Globe } from 'lucide-react'
import { useMemo } from 'react'
import { SiteType } from '#shared/doctypes/site.ts'
import { counted } from '#web/documents/counted.ts'
import { listHref } from '#web/documents/list-href.ts'
import type { ListRow } from '#web/documents/cells.tsx'
import { DocumentList } from '#web/documents/list.tsx'
import { useOpenAdmin } from '#web/documents/open-admin.ts'
import { PlanNudge } from '#web/documents/plan-nudge.tsx'
import type { ListView } from '#web/documents/list-views.tsx'
import { formatNumber } from '#web/lib/format.ts'
import { useCount } from '#web/lib/frappe.tsx'
import { useSession } from '#web/lib/session.tsx'
import { Answers, type Answer } from '#web/ui/answers.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { Kbd } from '#web/ui/kbd.tsx'
import { MenuItem } from '#web/ui/menu.tsx'
import { PageHead, StickyAction } from '#web/ui/page-head.tsx'
import { CreateSiteButton } from './create-site-button.tsx'
import { t } from './messages.ts'
import { SiteNoticeLine } from './site-notice.tsx'
import { siteColumns } from './site-columns.tsx'

const listed = [['status', '!=', 'Archived']] as const
const archived = [['status', '=', 'Archived']] as const
const working = [['status', 'in', ['Setting Up', 'Updating', 'Restoring', 'Archiving']]] as const
const down = [
  ['status', '=', 'Live'],
  ['health', '=', 'Down'],
] as const
const failed = [['status', '=', 'Failed']] as const
/** What somebody should look at: one of these. */
const attention = [
  ['status', 'in', ['Failed', 'Suspended']],
  ['health', '=', 'Down'],
  ['wordpress_checksum', '=', 'Modified'],
] as const

/** The three questions of the list, from counts of the server. */
function useAnswers(servers: boolean): Answer[] {
  const downCount = useCount('Site', { filters: down }).data
  const failedCount = useCount('Site', { filters: failed }).data
  const workingCount = useCount('Site', { filters: working }).data
  const serverCount = useCount(servers ? 'Server' : null, { filters: [['status', '!=', 'Decommissioned']] }).data
  const broken =
    downCount === undefined || failedCount === undefined
      ? null
      : downCount > 0
        ? t('sites.down', counted(downCount))
        : failedCount > 0
          ? t('sites.failed_only', counted(failedCount))
          : t('sites.down_none')
  return [
    {
      question: t('sites.down_q'),
      answer: broken,
      tone: (downCount ?? 0) + (failedCount ?? 0) > 0 ? 'bad' : 'ok',
      href: downCount ? listHref('/site', down) : failedCount ? listHref('/site', failed) : undefined,
      detail: downCount && failedCount ? t('sites.failed', counted(failedCount)) : undefined,
    },
    {
      question: t('sites.working_q'),
      answer:
        workingCount === undefined
          ? null
          : workingCount > 0
            ? t('sites.working', counted(workingCount))
            : t('sites.working_none'),
      tone: workingCount ? 'info' : 'none',
      busy: Boolean(workingCount),
      href: workingCount ? listHref('/site', working) : undefined,
    },
    ...(servers
      ? [
          {
            question: t('sites.where_q'),
            answer:
              serverCount === undefined
                ? null
                : serverCount > 0
                  ? t('sites.where', counted(serverCount))
                  : t('sites.where_none'),
            href: '/server',
          },
        ]
      : []),
  ]
}

/** Whether a site has an admin that can be opened now. */
function isOpen(row: ListRow): boolean {
  return row['status'] === 'Live' && row['site_type'] === 'wp'
}

/** All sites of the organization that this person may see. */
export function SitesPage() {
  const openAdmin = useOpenAdmin()
  const openLive = (row: ListRow) => {
    if (isOpen(row)) void openAdmin({ name: row.name, domain: String(row['domain']) })
  }
  const { user, modules } = useSession()
  const answers = useAnswers(modules.ee)
  const total = useCount('Site', { filters: listed }).data
  const archivedTotal = useCount('Site', { filters: archived }).data
  const views: ListView[] = useMemo(
    () => [
      { key: 'all', label: t('sites.all'), filters: SiteType.list?.filters ?? [] },
      { key: 'favourites', label: t('sites.favourites'), filters: [...listed, ['favorite', '=', 1]] },
      { key: 'attention', label: t('sites.attention'), filters: [...listed], any: attention },
      { key: 'mine', label: t('sites.mine'), filters: [...listed, ['createdby_email', '=', user]] },
      { key: 'archived', label: t('sites.view_archived'), filters: archived },
    ],
    [user],
  )
  const fact =
    total === undefined
      ? null
      : [
          t('sites.fact', counted(total)),
          archivedTotal ? t('sites.archived', { count: formatNumber(archivedTotal) }) : null,
        ]
          .filter(Boolean)
          .join(', ')
  return (
    <>
      <PageHead title={t('sites.title')} fact={fact}>
        <CreateSiteButton className="max-md:hidden" />
      </PageHead>
      <SiteNoticeLine />
      <PlanNudge resource="site" />
      <Answers slim items={answers} />
      <DocumentList
        type={SiteType}
        columns={siteColumns}
        views={views}
        href={(row) => `/site/${encodeURIComponent(row.name)}`}
        rowKeys={{ l: openLive }}
        rowMenu={(row) => (
          <>
            <MenuItem href={`/site/${encodeURIComponent(row.name)}`} aside={<Kbd>{'↵'}</Kbd>}>
              {t('sites.open')}
            </MenuItem>
            {isOpen(row) ? (
              <MenuItem aside={<Kbd>l</Kbd>} onSelect={() => openLive(row)}>
                {t('site.open_admin')}
              </MenuItem>
            ) : null}
          </>
        )}
        empty={
          <EmptyState
            icon={<Globe size={20} strokeWidth={1.75} />}
            title={t('sites.empty_title')}
            action={<CreateSiteButton />}
          >
            {t('sites.empty')}
          </EmptyState>
        }
      />
      <StickyAction>
        <CreateSiteButton />
      </StickyAction>
    </>
  )
}
