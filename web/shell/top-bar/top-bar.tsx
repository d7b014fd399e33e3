import { Menu, Moon, PanelLeft, Sun } from 'lucide-react'
import { boot } from '#web/lib/session/boot.ts'
import { Link } from '#web/lib/routing/router.tsx'
import { useSession } from '#web/lib/session/session.tsx'
import { useTheme } from '#web/lib/browser/theme.ts'
import { OrganizationMark } from '#web/features/organizations/organization-mark.tsx'
import { IconButton } from '#web/ui/icon-button.tsx'
import { modifierKey } from '#web/ui/kbd.tsx'
import { Logo } from '#web/ui/images/logo.tsx'
import { Tooltip } from '#web/ui/overlay/tooltip.tsx'
import { Breadcrumb } from './breadcrumb.tsx'
import { JobTray } from './job-tray.tsx'
import { MembersControl } from './members-control.tsx'
import { NotificationBell } from './notification-bell.tsx'
import { SearchButton } from '../search/search-button.tsx'
import { callSearch } from '../use-search.ts'
import type { SidebarState } from '../frame/use-sidebar.ts'
import { UserMenu } from './user-menu.tsx'
import { tShell } from '../messages.ts'

/** The top bar: sidebar button, home, breadcrumb, search, jobs, notifications, members, theme, user. */
export function TopBar({ sidebar }: { sidebar: SidebarState }) {
  const { organization } = useSession()
  const { dark, toggle } = useTheme()
  return (
    <header className="sticky top-0 z-20 flex h-14 shrink-0 items-center gap-3 border-b border-border bg-[color-mix(in_oklab,var(--bg)_92%,transparent)] pr-6 pl-5 backdrop-blur-sm max-md:gap-0.5 max-md:pr-3 max-md:pl-2">
      <IconButton
        label={tShell('shell.menu')}
        className="tour-menu md:hidden"
        aria-haspopup="dialog"
        aria-expanded={sidebar.drawerOpen}
        onClick={sidebar.toggle}
      >
        <Menu size={20} strokeWidth={1.75} />
      </IconButton>
      <Tooltip content={`${tShell('shell.toggle_sidebar')} (${modifierKey} B)`}>
        <IconButton
          size="md"
          label={tShell('shell.toggle_sidebar')}
          aria-expanded={sidebar.expanded}
          className="-mr-1 max-md:hidden"
          onClick={sidebar.toggle}
        >
          <PanelLeft size={16} strokeWidth={1.75} />
        </IconButton>
      </Tooltip>
      <Link to="/" className="tour-home flex h-11 min-w-0 items-center gap-2 rounded-ctl font-semibold md:hidden">
        {organization ? <OrganizationMark name={organization.title} /> : <Logo />}
        <span className="truncate">{organization?.title ?? boot().product_name}</span>
      </Link>
      <Breadcrumb />
      <div className="ml-auto flex shrink-0 items-center gap-3 max-md:gap-0.5">
        <SearchButton onOpen={() => callSearch('navigation')} />
        <JobTray />
        <NotificationBell />
        <span className="h-5 w-px bg-border max-md:hidden" />
        <span className="contents max-md:hidden">
          <MembersControl />
        </span>
        <IconButton label={tShell('shell.toggle_theme')} className="max-md:hidden" onClick={toggle}>
          {dark ? <Sun size={16} strokeWidth={1.75} /> : <Moon size={16} strokeWidth={1.75} />}
        </IconButton>
        <UserMenu />
      </div>
    </header>
  )
}
