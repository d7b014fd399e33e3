import { useEffect } from 'react'
import type { Activity } from '#shared/doctypes/activity.ts'
import { useList } from '#web/lib/api/frappe.tsx'
import { useLocation } from 'react-router'
import { Link } from '#web/lib/routing/router.tsx'
import { Avatar } from '#web/ui/images/avatar.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Time } from '#web/ui/time.tsx'
import { actionText, withDetail } from './activity-text.ts'
import { DocStatus } from '../values/cells.tsx'
import { jobSearch } from '../jobs/job-link.ts'
import { t } from './messages.ts'
import { usePeople } from '../people.ts'

const fields = ['name', 'creation', 'actor', 'action', 'detail', 'detail_i18n', 'result', 'job'] as const

/** The fields of an entry that the card reads. */
type Entry = Pick<Activity, (typeof fields)[number]>

/** Filters for the entries of one document. */
export function filtersFor(doctype: string, name: string) {
  return [
    ['reference_doctype', '=', doctype],
    ['reference_name', '=', name],
  ] as const
}

/** Text of the action, linked to its job if there is one. */
function ActionText({ entry }: { entry: Entry }) {
  const { search, hash } = useLocation()
  const text = withDetail(actionText(entry.action ?? ''), entry)
  if (!entry.job) return <>{text}</>
  return (
    <Link to={{ search: jobSearch(search, entry.job), hash }} className="hover:underline" title={t('activity.job')}>
      {text}
    </Link>
  )
}

function ActivityLine({ entry, who }: { entry: Entry; who: string }) {
  return (
    <li className="flex items-start gap-2.5 px-4 py-2 text-table">
      <Avatar size="sm" name={who} />
      <span className="min-w-0 flex-1">
        <span className="font-medium">{who}</span>{' '}
        <span className="text-muted">
          <ActionText entry={entry} />
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

/**
 * The latest entries of a document, for a card: one per act, its start only while it has no end. `onKnown` is called when they have
 * loaded or failed to load.
 */
export function RecentActivity({
  doctype,
  name,
  limit = 5,
  onKnown,
}: {
  doctype: string
  name: string
  limit?: number
  onKnown?: () => void
}) {
  const list = useList('Activity', {
    fields,
    filters: [...filtersFor(doctype, name), ['superseded', '=', 0]],
    order_by: 'creation desc',
    limit,
  })
  const person = usePeople((list.data ?? []).map((entry) => entry.actor))
  const known = list.data !== undefined || list.error !== null
  useEffect(() => {
    if (known) onKnown?.()
  }, [known, onKnown])
  if (list.error && !list.data)
    return (
      <ErrorPanel
        className="flex items-start gap-3 px-4 pb-4"
        title={t('activity.error_title')}
        error={list.error}
        onRetry={() => list.reload()}
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
