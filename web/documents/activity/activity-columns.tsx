import { formatDuration } from '#web/lib/i18n/format.ts'
import { Link } from '#web/lib/routing/router.tsx'
import { Avatar } from '#web/ui/images/avatar.tsx'
import { Time } from '#web/ui/time.tsx'
import { at } from './activity-messages.ts'
import { activityTitle, activityWords } from './activity-words.ts'
import { Nothing, type ListRow } from '../list/cells.tsx'
import type { ListColumn } from '../list/list-columns.ts'
import { documentPath } from '../document-paths.ts'

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The document of the activity, linked if it has a page. */
function Target({ row }: { row: ListRow }) {
  const title = text(row['reference_title'])
  const path = documentPath(text(row['reference_doctype']), text(row['reference_name']))
  if (title === '') return <Nothing />
  if (!path) return title
  return (
    <Link to={path} className="relative z-1 hover:underline">
      {title}
    </Link>
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
  who: (email: unknown) => string
  several: boolean
  phone: boolean
}): readonly ListColumn[] {
  const sentence = (row: ListRow) =>
    at('list.sentence', { who: who(row['actor']), action: activityWords(text(row['action'])) })
  return [
    {
      field: 'creation',
      label: at('list.when'),
      also: ['actor', 'action'],
      title: (row) =>
        phone ? (
          sentence(row)
        ) : (
          <>
            <Time value={text(row['creation'])} className="font-normal text-muted" />
            <span className="sr-only">{` ${sentence(row)}`}</span>
          </>
        ),
      ...(phone && { render: (row) => <Time value={text(row['creation'])} /> }),
    },
    {
      field: 'actor',
      label: at('list.who'),
      render: (row) => (
        <span className="flex items-center gap-2">
          <Avatar size="sm" name={who(row['actor'])} />
          <span className="font-medium">{who(row['actor'])}</span>
        </span>
      ),
    },
    { field: 'action', render: (row) => activityTitle(text(row['action'])) },
    ...(several
      ? [
          {
            field: 'reference_title',
            label: at('list.target'),
            also: ['reference_doctype', 'reference_name'],
            card: true,
            render: (row: ListRow) => <Target row={row} />,
          },
        ]
      : []),
    { field: 'result', card: true },
    {
      field: 'took_ms',
      label: at('list.took'),
      right: true,
      from: 'desktop',
      render: (row) => {
        const took = row['took_ms']
        return typeof took === 'number' && took > 0 ? (
          <span className="text-muted">{formatDuration(took / 1000)}</span>
        ) : (
          <Nothing />
        )
      },
    },
    { field: 'via', label: at('list.via'), from: 'desktop' },
  ]
}
