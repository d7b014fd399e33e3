import { Bookmark, Star } from 'lucide-react'
import { useLocation } from 'react-router'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { isSameView, viewHref } from '#web/documents/query/view-href.ts'
import { useSavedViews, type ListView } from '#web/documents/query/saved-views.ts'
import { cx } from '#web/lib/browser/cx.ts'
import { Link } from '#web/lib/routing/router.tsx'
import { trimmedPath } from '#web/lib/routing/route-match.ts'
import { Tooltip } from '#web/ui/overlay/tooltip.tsx'
import { tShell } from '../messages.ts'
import type { NavEntry } from './nav-entries.tsx'

const types = { Site: SiteDoctype, Server: ServerDoctype } as const

/** The views of a list as links: favorites, then the saved ones. Lazy, because most people never expand them. */
export function NavViews({
  id,
  of,
  path,
  rail,
  onNavigate,
}: {
  id: string
  of: NonNullable<NavEntry['views']>
  /** Path of the list. */
  path: string
  rail: boolean
  onNavigate?: (() => void) | undefined
}) {
  const { pathname, search } = useLocation()
  const type = types[of]
  const saved = useSavedViews(type, true)
  const favorites: ListView = {
    key: 'favorites',
    label: tShell('shell.favorites'),
    filters: [...(type.list?.filters ?? []), ['favorite', '=', 1]],
  }
  const current = trimmedPath(pathname) === path ? new URLSearchParams(search) : null
  return (
    <ul id={id} className={cx('grid gap-0.5', !rail && 'pl-7')}>
      {[favorites, ...saved].map((view) => {
        const Icon = view === favorites ? Star : Bookmark
        const isCurrent = current !== null && isSameView(type, current, view)
        const link = (
          <Link
            to={viewHref(path, view)}
            onClick={onNavigate}
            aria-current={isCurrent ? 'page' : undefined}
            className={cx(
              'flex h-8 items-center gap-2 rounded-ctl text-table hover:bg-hover hover:text-fg max-md:h-11',
              rail ? 'justify-center' : 'px-2',
              isCurrent ? 'font-medium text-fg' : 'text-muted',
            )}
          >
            <Icon size={14} strokeWidth={1.75} className="shrink-0" aria-hidden="true" />
            <span className={rail ? 'sr-only' : 'truncate'}>{view.label}</span>
          </Link>
        )
        return (
          <li key={view.key}>
            {rail ? (
              <Tooltip content={view.label} side="right">
                {link}
              </Tooltip>
            ) : (
              link
            )}
          </li>
        )
      })}
    </ul>
  )
}
