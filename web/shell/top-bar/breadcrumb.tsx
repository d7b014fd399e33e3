import { ChevronLeft, ChevronRight, House } from 'lucide-react'
import { useLocation } from 'react-router'
import { cx } from '#web/lib/browser/cx.ts'
import { Link } from '#web/lib/routing/router.tsx'
import { trimmedPath } from '#web/lib/routing/route-match.ts'
import { useCrumbs } from '#web/lib/routing/use-title.ts'
import { tShell } from '../messages.ts'

/** The way back from a detail page on phones, which have no breadcrumb. */
export function BackLink() {
  const parent = useCrumbs().findLast(({ href }) => href !== undefined)
  if (!parent?.href) return null
  return (
    <Link to={parent.href} className="-mt-2 -ml-1 inline-flex min-h-11 items-center gap-1 text-muted md:hidden">
      <ChevronLeft size={16} strokeWidth={1.75} aria-hidden="true" />
      {parent.title}
    </Link>
  )
}

/** The breadcrumb; the last part is the current page and no link. */
export function Breadcrumb() {
  const crumbs = useCrumbs()
  const atHome = trimmedPath(useLocation().pathname) === '/'
  return (
    <nav aria-label={tShell('shell.breadcrumb')} className="min-w-0 max-md:hidden">
      <ol className="flex min-w-0 items-center gap-2 text-muted">
        {!atHome && (
          <li className="flex">
            <Link to="/" aria-label={tShell('shell.home')} className="-m-1 rounded-xs p-1 hover:text-fg">
              <House size={16} strokeWidth={1.75} aria-hidden="true" />
            </Link>
          </li>
        )}
        {crumbs.map((crumb, index) => (
          // Only the current page gives way: links that shrink lie over it where there is little room.
          <li
            key={`${crumb.title}-${index}`}
            className={cx('flex items-center gap-2', crumb.href ? 'shrink-0' : 'min-w-0')}
          >
            {(index > 0 || !atHome) && (
              <ChevronRight size={14} strokeWidth={1.75} className="shrink-0" aria-hidden="true" />
            )}
            {crumb.href ? (
              <Link to={crumb.href} className="rounded-xs hover:text-fg hover:underline hover:underline-offset-3">
                {crumb.title}
              </Link>
            ) : (
              <b aria-current="page" className="truncate font-semibold text-fg">
                {crumb.name ?? crumb.title}
                {crumb.name === undefined ? null : (
                  <span className="max-2xl:sr-only">{crumb.title.slice(crumb.name.length)}</span>
                )}
              </b>
            )}
          </li>
        ))}
      </ol>
    </nav>
  )
}
