import { ChevronDown, LogOut, SunMoon } from 'lucide-react'
import { logOut } from '#web/lib/log-out.ts'
import { t } from '#web/lib/messages.ts'
import { useSession } from '#web/lib/session.tsx'
import { useTheme } from '#web/lib/theme.ts'
import { Avatar } from '#web/ui/avatar.tsx'
import { Menu, MenuItem, MenuSeparator } from '#web/ui/menu.tsx'

/** Who is signed in; theme and log out. */
export function UserMenu() {
  const { fullName, firstName, email, image } = useSession()
  const { toggle } = useTheme()
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label={t('shell.user_menu')}
          className="flex h-9 items-center gap-1.5 rounded-ctl px-0.5 hover:bg-hover data-[state=open]:bg-hover max-md:h-11 max-md:px-1.5"
        >
          <Avatar name={fullName} image={image} size="lg" />
          <ChevronDown size={14} strokeWidth={1.75} className="text-muted max-md:hidden" aria-hidden="true" />
        </button>
      }
    >
      <div className="flex items-center gap-2.5 px-2 py-2">
        <Avatar name={fullName} image={image} size="lg" />
        <div className="min-w-0">
          <p className="truncate font-semibold">{firstName}</p>
          <p className="max-w-56 truncate text-meta text-muted" title={email}>
            {email}
          </p>
        </div>
      </div>
      <MenuSeparator />
      <MenuItem
        icon={<SunMoon size={16} strokeWidth={1.75} />}
        onSelect={(event) => {
          // Stays open: one wants to see what it did.
          event.preventDefault()
          toggle()
        }}
      >
        {t('shell.toggle_theme')}
      </MenuItem>
      <MenuItem icon={<LogOut size={16} strokeWidth={1.75} />} onSelect={() => void logOut()}>
        {t('shell.logout')}
      </MenuItem>
    </Menu>
  )
}
