import { useState } from 'react'
import { Link, useLocation } from '#web/lib/router.tsx'
import type { FilterTriple } from '#shared/doctype.ts'
import type { Activity } from '#shared/doctypes/activity.ts'
import { formatDuration } from '#web/lib/format.ts'
import { useCount, useList } from '#web/lib/frappe.tsx'
import { Avatar } from '#web/ui/avatar.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Cell, HeadCell, Row, Table } from '#web/ui/table.tsx'
import { Time } from '#web/ui/time.tsx'
import { activityWords } from './activity-words.ts'
import { DocStatus, Nothing } from './cells.tsx'
import { jobSearch } from './job-link.ts'
import { ListPager } from './list-pager.tsx'
import type { ListState } from './list-state.ts'
import { t } from './messages.ts'
import { usePeople } from './people.ts'
import { useBreakpoint } from './use-breakpoint.ts'

const fields = ['name', 'creation', 'actor', 'on_behalf_of', 'action', 'result', 'took_ms', 'job', 'via'] as const

/** One entry as the lists read it. */
type Entry = Pick<Activity, (typeof fields)[number]>

const firstPage: ListState = {
  filters: [],
  text: '',
  order: { field: 'creation', direction: 'desc' },
  page: 1,
  pageSize: 20,
}

function about(doctype: string, name: string) {
  return [
    ['reference_doctype', '=', doctype],
    ['reference_name', '=', name],
  ] as const
}

/** Words of the action; a link to its job where there is one. */
function ActionWords({ entry }: { entry: Entry }) {
  const { search, hash } = useLocation()
  const words = activityWords(entry.action ?? '')
  if (!entry.job) return <>{words}</>
  return (
    <Link to={{ search: jobSearch(search, entry.job), hash }} className="hover:underline" title={t('activity.job')}>
      {words}
    </Link>
  )
}

/** What a list of activities is about: one document, or whatever the filters choose. */
export type ActivitySubject = { doctype: string; name: string } | { filters: readonly FilterTriple[] }

/** Everything that happened to a document, newest first: who did what, how it ended, how long it took. */
export function ActivityList(subject: ActivitySubject) {
  const [state, setState] = useState(firstPage)
  const breakpoint = useBreakpoint()
  const filters = 'filters' in subject ? subject.filters : about(subject.doctype, subject.name)
  const list = useList<Entry>('Activity', {
    fields,
    filters,
    order_by: 'creation desc',
    limit: state.pageSize,
    start: (state.page - 1) * state.pageSize,
  })
  const count = useCount('Activity', { filters })
  const person = usePeople((list.data ?? []).map((entry) => entry.actor))
  if (list.error && !list.data)
    return (
      <ErrorPanel
        title={t('activity.error_title')}
        error={list.error}
        onRetry={() => void list.reload()}
        wanted={{ doctype: 'Activity' }}
      />
    )
  if (list.data?.length === 0) {
    return (
      <div className="rounded-card border border-border bg-surface shadow-xs">
        <EmptyState title={t('activity.empty_title')}>{t('activity.empty')}</EmptyState>
      </div>
    )
  }
  const heads = ['activity.when', 'activity.who', 'activity.action', 'activity.result', 'activity.took'] as const
  return (
    <>
      {breakpoint === 'phone' && list.data ? (
        <ul
          aria-label={t('activity.title')}
          className="divide-y divide-hairline rounded-card border border-border bg-surface shadow-xs"
        >
          {list.data.map((entry) => (
            <ActivityLine key={entry.name} entry={entry} who={person(entry.actor)} />
          ))}
        </ul>
      ) : (
        <Table label={t('activity.title')} busy={!list.data}>
          <thead>
            <tr>
              {heads.map((head) => (
                <HeadCell key={head} right={head === 'activity.took'}>
                  {t(head)}
                </HeadCell>
              ))}
            </tr>
          </thead>
          <tbody>
            {list.data?.map((entry) => (
              <Row key={entry.name}>
                <Cell className="text-muted">
                  <Time value={entry.creation} />
                </Cell>
                <Cell>
                  <span className="flex items-center gap-2">
                    <Avatar size="sm" name={person(entry.actor)} />
                    <span className="font-medium">{person(entry.actor)}</span>
                  </span>
                </Cell>
                <Cell className="w-full">
                  <ActionWords entry={entry} />
                </Cell>
                <Cell>
                  {entry.result ? <DocStatus doctype="Activity" field="result" value={entry.result} /> : <Nothing />}
                </Cell>
                <Cell right className="text-muted">
                  {entry.took_ms === null || entry.took_ms === undefined ? (
                    <Nothing />
                  ) : (
                    formatDuration(entry.took_ms / 1000)
                  )}
                </Cell>
              </Row>
            )) ??
              Array.from({ length: 5 }, (_, index) => (
                <Row key={index} aria-hidden="true">
                  {heads.map((head) => (
                    <Cell key={head}>
                      <Skeleton className="h-3 w-20" />
                    </Cell>
                  ))}
                </Row>
              ))}
          </tbody>
        </Table>
      )}
      {list.data ? (
        <ListPager
          state={state}
          rows={list.data.length}
          total={count.data ?? list.data.length}
          onChange={(change) => setState((before) => ({ ...before, page: 1, ...change }))}
        />
      ) : null}
    </>
  )
}

function ActivityLine({ entry, who }: { entry: Entry; who: string }) {
  return (
    <li className="flex items-start gap-2.5 px-4 py-2 text-table">
      <Avatar size="sm" name={who} />
      <span className="min-w-0 flex-1">
        <span className="font-medium">{who}</span>{' '}
        <span className="text-muted">
          <ActionWords entry={entry} />
        </span>
        {entry.result && entry.result !== 'Done' ? (
          <span className="block">
            <DocStatus inset doctype="Activity" field="result" value={entry.result} />
          </span>
        ) : null}
      </span>
      <Time value={entry.creation} className="flex-none text-meta text-muted" />
    </li>
  )
}

/** The latest few entries of a document, for a card: what happened, not what merely began. */
export function RecentActivity({ doctype, name, limit = 5 }: { doctype: string; name: string; limit?: number }) {
  const list = useList<Entry>('Activity', {
    fields,
    filters: [...about(doctype, name), ['result', '!=', 'Started']],
    order_by: 'creation desc',
    limit,
  })
  const person = usePeople((list.data ?? []).map((entry) => entry.actor))
  if (list.error && !list.data)
    return (
      <ErrorPanel
        className="flex items-start gap-3 px-4 pb-4"
        title={t('activity.error_title')}
        error={list.error}
        onRetry={() => void list.reload()}
      />
    )
  if (!list.data) {
    return (
      <div className="grid gap-3 px-4 pb-4" aria-hidden="true">
        <Skeleton className="h-3 w-56" />
        <Skeleton className="h-3 w-44" />
        <Skeleton className="h-3 w-52" />
      </div>
    )
  }
  if (list.data.length === 0) return <p className="px-4 pb-4 text-table text-muted">{t('activity.empty_title')}</p>
  return (
    <ul className="pb-2">
      {list.data.map((entry) => (
        <ActivityLine key={entry.name} entry={entry} who={person(entry.actor)} />
      ))}
    </ul>
  )
}
