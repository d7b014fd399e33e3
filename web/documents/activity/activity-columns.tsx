import type { Activity } from '#shared/doctypes/activity.ts'
import { formatDuration } from '#web/lib/i18n/format.ts'
import { Link } from '#web/lib/routing/router.tsx'
import { Avatar } from '#web/ui/images/avatar.tsx'
import { Time } from '#web/ui/time.tsx'
import { t } from './messages.ts'
import { activityTitle, actionText, withDetail } from './activity-text.ts'
import { wordValues } from '../query/list-query.ts'
import { Nothing } from '../values/cells.tsx'
import type { RowOf } from '#web/lib/api/list-rows.ts'
import type { ListColumn } from '../list/list-columns.ts'
import { documentPath } from '../document-paths.ts'

type ActivityRow = RowOf<Activity>

wordValues('Activity.action', activityTitle)

/** The document of the activity, linked if it has a page. */
function Target({ row }: { row: ActivityRow }) {
  const title = row.reference_title
  const path = documentPath(row.reference_doctype, row.reference_name)
  const address = row.reference_address
  if (!title) return <Nothing />
  return (
    <>
      {path ? (
        <Link to={path} title={title} className="relative z-1 block max-w-52 truncate hover:underline">
          {title}
        </Link>
      ) : (
        title
      )}
      {address ? (
        <span title={address} className="block max-w-52 truncate text-meta text-muted">
          {address}
        </span>
      ) : null}
    </>
  )
}

/**
 * Columns of an activity list. `who` shows names, `several`: entries are about different documents, `phone`: a card's title
 * is the whole sentence, since there are no other columns.
 */
export function activityColumns({
  who,
  several,
  phone,
}: {
  who: (email: string | null | undefined) => string
  several: boolean
  phone: boolean
}): readonly ListColumn<ActivityRow>[] {
  const activityText = (row: ActivityRow) =>
    t('list.activity_text', { who: who(row.actor), action: withDetail(actionText(row.action ?? ''), row) })
  const target: ListColumn<ActivityRow> = {
    field: 'reference_title',
    label: t('list.target'),
    also: ['reference_doctype', 'reference_name', 'reference_address'],
    card: true,
    render: (row) => <Target row={row} />,
  }
  return [
    {
      field: 'creation',
      label: t('list.when'),
      also: ['actor', 'action', 'detail', 'detail_i18n'],
      title: (row) =>
        phone ? (
          activityText(row)
        ) : (
          <>
            <Time value={row.creation} className="font-normal text-muted" />
            <span className="sr-only">{` ${activityText(row)}`}</span>
          </>
        ),
      ...(phone && { render: (row) => <Time value={row.creation} /> }),
    },
    {
      field: 'actor',
      label: t('list.who'),
      render: (row) => (
        <span className="flex items-center gap-2">
          <Avatar size="sm" name={who(row.actor)} />
          <span title={who(row.actor)} className="block max-w-40 truncate font-medium">
            {who(row.actor)}
          </span>
        </span>
      ),
    },
    { field: 'action', stays: true, render: (row) => withDetail(activityTitle(row.action ?? ''), row) },
    ...(several ? [target] : []),
    { field: 'result', card: true },
    {
      field: 'took_ms',
      label: t('list.took'),
      right: true,
      from: 'desktop',
      render: ({ took_ms: took }) =>
        took && took > 0 ? <span className="text-muted">{formatDuration(took / 1000)}</span> : <Nothing />,
    },
    { field: 'via', label: t('list.via'), from: 'desktop' },
  ]
}
