import { ChevronDown, LogOut, SunMoon, UserRound } from 'lucide-react'
import { useState, type KeyboardEvent, type ReactNode } from 'react'
import { Link } from '#web/lib/router.tsx'
import { logOut } from '#web/lib/log-out.ts'
import { t } from '#web/lib/messages.ts'
import { useSession } from '#web/lib/session.tsx'
import { useTheme } from '#web/lib/theme.ts'
import { Avatar } from '#web/ui/avatar.tsx'
import { Flyout } from '#web/ui/flyout.tsx'
import { words } from './messages.ts'
import { useScreens } from './screens.tsx'

/** Arrows, Home and End move in the menu, Tab leaves it (APG menu button). */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=menuitem]')]
  const at = items.indexOf(document.activeElement as HTMLElement)
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key]
  if (to === undefined) return
  event.preventDefault()
  items[(to + items.length) % items.length]?.focus()
}

const itemStyle =
  'flex h-8 w-full items-center gap-2 rounded-ctl px-2 text-left text-table font-medium outline-none hover:bg-hover focus-visible:bg-hover max-md:h-11 [&>svg]:text-muted'

function Item({ icon, children, onClick }: { icon: ReactNode; children: ReactNode; onClick: () => void }) {
  return (
    <button type="button" role="menuitem" onClick={onClick} className={itemStyle}>
      {icon}
      {children}
    </button>
  )
}

/** Who is signed in; the own page, theme and log out. */
export function UserMenu() {
  const { fullName, firstName, email, image } = useSession()
  const { toggle } = useTheme()
  const [open, setOpen] = useState(false)
  const hasProfile = useScreens().some(({ path }) => path === '/user/:user')
  return (
    <Flyout
      open={open}
      onOpenChange={setOpen}
      label={words('shell.user_menu')}
      role="menu"
      panelClassName="min-w-[220px] p-1"
      button={{
        'aria-label': words('shell.user_menu'),
        className:
          'tour-profile flex h-9 items-center gap-1.5 rounded-ctl px-0.5 hover:bg-hover data-[state=open]:bg-hover max-md:h-11 max-md:px-1.5',
        children: (
          <>
            <Avatar name={fullName} image={image} size="lg" />
            <ChevronDown size={14} strokeWidth={1.75} className="text-muted max-md:hidden" aria-hidden="true" />
          </>
        ),
      }}
    >
      <div role="none" onKeyDown={moveFocus}>
        <div role="none" className="mb-1 flex items-center gap-2.5 border-b border-hairline px-2 pt-1.5 pb-2.5">
          <Avatar name={fullName} image={image} size="lg" />
          <div className="min-w-0">
            <p className="truncate font-semibold">{firstName}</p>
            <p className="max-w-56 truncate text-meta text-muted" title={email}>
              {email}
            </p>
          </div>
        </div>
        {hasProfile && (
          <Link
            role="menuitem"
            to={`/user/${encodeURIComponent(email)}#personal-info`}
            onClick={() => setOpen(false)}
            className={itemStyle}
          >
            <UserRound size={16} strokeWidth={1.75} aria-hidden="true" />
            {words('shell.profile')}
          </Link>
        )}
        <Item icon={<SunMoon size={16} strokeWidth={1.75} aria-hidden="true" />} onClick={toggle}>
          {words('shell.toggle_theme')}
        </Item>
        <Item icon={<LogOut size={16} strokeWidth={1.75} aria-hidden="true" />} onClick={() => logOut()}>
          {t('shell.logout')}
        </Item>
      </div>
    </Flyout>
  )
}
