import { ArrowUpRight, ChevronDown } from 'lucide-react'
import { lazy, Suspense, useId } from 'react'
import { useLocation } from 'react-router'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { Link } from '#web/lib/routing/router.tsx'
import { usePreference } from '#web/lib/browser/use-preference.ts'
import { cx } from '#web/lib/browser/cx.ts'
import { trimmedPath } from '#web/lib/routing/route-match.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { ErrorIcon } from '#web/ui/form/field.tsx'
import { LazyBoundary } from '#web/ui/lazy-boundary.tsx'
import { Tooltip } from '#web/ui/overlay/tooltip.tsx'
import { navGroups, useNavCounts, type NavEntry } from './nav-entries.tsx'
import { useScreens } from './screens.tsx'
import { tShell } from '../messages.ts'

// Lazy: most people never expand the views.
const NavViews = lazy(() => import('./nav-views.tsx').then((module) => ({ default: module.NavViews })))

/** Key of the preference with the entries whose sub-items are expanded. */
const expandedKey = 'nav_expanded'

/** Shows and hides an entry's views, and remembers that with the account. */
function NavDisclosure({ entry, rail, id }: { entry: NavEntry; rail: boolean; id: string }) {
  const { isExpanded, toggle } = useExpanded(entry)
  return (
    <button
      type="button"
      aria-label={tShell('shell.views_of', { label: entry.label })}
      aria-expanded={isExpanded}
      aria-controls={isExpanded ? id : undefined}
      onClick={toggle}
      className={cx(
        'grid place-items-center rounded-ctl text-muted hover:bg-hover hover:text-fg',
        rail ? 'h-6 w-full' : 'absolute top-1 right-1 size-7 max-md:top-0 max-md:right-0 max-md:size-11',
      )}
    >
      <ChevronDown
        size={14}
        strokeWidth={1.75}
        className={cx('transition-transform duration-[120ms]', !isExpanded && '-rotate-90')}
        aria-hidden="true"
      />
    </button>
  )
}

/** Whether an entry's sub-items are shown. */
function useExpanded({ to }: NavEntry): { isExpanded: boolean; toggle: () => void } {
  const preference = usePreference(expandedKey)
  const expanded: readonly unknown[] = Array.isArray(preference.value) ? preference.value : []
  const isExpanded = expanded.includes(to)
  const toggle = (): void => {
    const next = isExpanded ? expanded.filter((one) => one !== to) : [...expanded, to]
    // If it isn't saved, it stays as it was.
    preference.set(next).catch(() => undefined)
  }
  return { isExpanded, toggle }
}

function NavItem(props: { entry: NavEntry; rail: boolean; onNavigate?: (() => void) | undefined }) {
  const { entry, rail, onNavigate } = props
  const id = useId()
  const { isExpanded } = useExpanded(entry)
  const { views } = entry
  if (views === undefined)
    return (
      <li>
        <NavLink {...props} />
      </li>
    )
  return (
    <li>
      <div className="relative">
        <NavLink {...props} />
        <NavDisclosure entry={entry} rail={rail} id={id} />
      </div>
      {isExpanded && (
        <LazyBoundary level="part">
          <Suspense fallback={null}>
            <NavViews id={id} of={views} path={entry.to} rail={rail} onNavigate={onNavigate} />
          </Suspense>
        </LazyBoundary>
      )}
    </li>
  )
}

function NavLink({
  entry,
  rail,
  onNavigate,
}: {
  entry: NavEntry
  rail: boolean
  onNavigate?: (() => void) | undefined
}) {
  const path = trimmedPath(useLocation().pathname)
  const current = entry.matches(path)
  const Icon = entry.icon
  const className = cx(
    'relative flex h-9 items-center gap-3 rounded-ctl font-medium transition-colors duration-[120ms] max-md:h-11',
    // The right end belongs to the views' button; numbers are aligned whether or not there is one.
    rail ? 'justify-center' : 'pr-9 pl-3 max-md:pr-12',
    current
      ? 'bg-surface text-fg shadow-[0_0_0_1px_var(--border),var(--sh-xs)]'
      : 'text-muted hover:bg-hover hover:text-fg',
  )
  const content = (
    <>
      <Icon size={16} strokeWidth={1.75} className={cx('shrink-0', current && 'text-brand-text')} aria-hidden="true" />
      <span className={rail ? 'sr-only' : 'truncate'}>{entry.label}</span>
      {rail && entry.bad && (
        <span
          className={cx(
            'absolute top-1.5 right-2 size-2 rounded-full ring-2 ring-sunken',
            entry.bad.tone === 'bad' ? 'bg-m-bad' : 'bg-m-warn',
          )}
        />
      )}
      {entry.bad ? (
        <span
          className={cx(
            rail ? 'sr-only' : 'ml-auto flex flex-none items-center gap-1.5 text-meta font-medium',
            !rail && (entry.bad.tone === 'bad' ? 'text-bad' : 'text-warn'),
          )}
        >
          <ErrorIcon className="size-3" />
          {entry.bad.text}
        </span>
      ) : (
        !rail &&
        entry.count !== undefined && (
          <span className="ml-auto text-meta font-normal text-muted">{formatNumber(entry.count)}</span>
        )
      )}
      {entry.newTab && !rail && (
        <ArrowUpRight size={14} strokeWidth={1.75} className="ml-auto shrink-0" aria-hidden="true" />
      )}
    </>
  )
  const link = entry.newTab ? (
    <a href={entry.to} data-entry={entry.key} target="_blank" rel="noopener" onClick={onNavigate} className={className}>
      {content}
    </a>
  ) : (
    <Link
      to={entry.to}
      data-entry={entry.key}
      onClick={onNavigate}
      aria-current={current ? 'page' : undefined}
      className={className}
    >
      {content}
    </Link>
  )
  return rail ? (
    <Tooltip content={entry.bad ? `${entry.label}, ${entry.bad.text}` : entry.label} side="right">
      {link}
    </Tooltip>
  ) : (
    link
  )
}

/** The menu's groups. `rail` shows only icons; labels stay for screen readers and as tooltips. */
export function NavList({ rail = false, onNavigate }: { rail?: boolean; onNavigate?: () => void }) {
  const session = useSession()
  const counts = useNavCounts()
  const screens = useScreens()
  return (
    <nav aria-label={tShell('shell.main_nav')} className="mt-3 grid gap-5">
      {navGroups(session, counts, screens).map((group) => (
        <div key={group.label}>
          <h2 className={rail ? 'sr-only' : 'px-3 pb-1 text-meta font-medium text-muted'}>{group.label}</h2>
          <ul className="grid gap-0.5">
            {group.entries.map((entry) => (
              <NavItem key={entry.key} entry={entry} rail={rail} onNavigate={onNavigate} />
            ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}
