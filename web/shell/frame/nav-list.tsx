import { ArrowUpRight } from 'lucide-react'
import { useLocation } from 'react-router'
import { Link } from '#web/lib/routing/router.tsx'
import { cx } from '#web/lib/browser/cx.ts'
import { trimmedPath } from '#web/lib/routing/route-match.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { ErrorIcon } from '#web/ui/form/field.tsx'
import { Tooltip } from '#web/ui/overlay/tooltip.tsx'
import { navGroups, useNavCounts, type NavEntry } from './nav-entries.tsx'
import { useScreens } from './screens.tsx'
import { tShell } from '../messages.ts'

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
    rail ? 'justify-center' : 'px-3',
    current
      ? 'bg-surface text-fg shadow-[0_0_0_1px_var(--border),var(--sh-xs)]'
      : 'text-muted hover:bg-hover hover:text-fg',
  )
  const content = (
    <>
      <Icon size={16} strokeWidth={1.75} className={cx('shrink-0', current && 'text-brand-text')} aria-hidden="true" />
      <span className={rail ? 'sr-only' : 'truncate'}>{entry.label}</span>
      {rail && entry.bad && (
        <span className="absolute top-1.5 right-2 size-2 rounded-full bg-m-bad ring-2 ring-sunken" />
      )}
      {entry.bad ? (
        <span className={rail ? 'sr-only' : 'ml-auto flex items-center gap-1.5 text-meta font-medium text-bad'}>
          <ErrorIcon className="size-3" />
          {entry.bad}
        </span>
      ) : (
        !rail &&
        entry.count !== undefined && <span className="ml-auto text-meta font-normal text-muted">{entry.count}</span>
      )}
      {entry.newTab && !rail && (
        <ArrowUpRight size={14} strokeWidth={1.75} className="ml-auto shrink-0" aria-hidden="true" />
      )}
    </>
  )
  const link = entry.newTab ? (
    <a href={entry.to} target="_blank" rel="noopener" onClick={onNavigate} className={className}>
      {content}
    </a>
  ) : (
    <Link to={entry.to} onClick={onNavigate} aria-current={current ? 'page' : undefined} className={className}>
      {content}
    </Link>
  )
  return (
    <li>
      {rail ? (
        <Tooltip content={entry.bad ? `${entry.label}, ${entry.bad}` : entry.label} side="right">
          {link}
        </Tooltip>
      ) : (
        link
      )}
    </li>
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
              <NavLink key={entry.to} entry={entry} rail={rail} onNavigate={onNavigate} />
            ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}
