import { ChevronDown, LogOut, SunMoon, UserRound } from 'lucide-react'
import { logOut } from '#web/lib/session/log-out.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { useTheme } from '#web/lib/browser/theme.ts'
import { Avatar } from '#web/ui/images/avatar.tsx'
import { Menu, MenuItem } from '#web/ui/overlay/menu.tsx'
import { tShell } from '../messages.ts'
import { useScreens } from '../frame/screens.tsx'

/** The current user, with links to their page, theme and logout. */
export function UserMenu() {
  const { fullName, firstName, email, image } = useSession()
  const { toggle } = useTheme()
  const hasProfile = useScreens().some(({ path }) => path === '/user/:user')
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label={tShell('shell.user_menu')}
          className="tour-profile flex h-9 items-center gap-1.5 rounded-ctl px-0.5 hover:bg-hover data-[state=open]:bg-hover max-md:h-11 max-md:px-1.5"
        >
          <Avatar name={fullName} image={image} size="lg" />
          <ChevronDown size={14} strokeWidth={1.75} className="text-muted max-md:hidden" aria-hidden="true" />
        </button>
      }
    >
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
        <MenuItem
          icon={<UserRound size={16} strokeWidth={1.75} aria-hidden="true" />}
          href={`/user/${encodeURIComponent(email)}#personal-info`}
        >
          {tShell('shell.profile')}
        </MenuItem>
      )}
      <MenuItem
        icon={<SunMoon size={16} strokeWidth={1.75} aria-hidden="true" />}
        onSelect={(event) => {
          // Keeps the menu open, so that the user can see the theme and switch back.
          event.preventDefault()
          toggle()
        }}
      >
        {tShell('shell.toggle_theme')}
      </MenuItem>
      <MenuItem icon={<LogOut size={16} strokeWidth={1.75} aria-hidden="true" />} onSelect={() => logOut()}>
        {t('shell.logout')}
      </MenuItem>
    </Menu>
  )
}
