import { Bell } from 'lucide-react'
import { lazy, useState } from 'react'
import { useCount } from '#web/lib/api/frappe.tsx'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { IconButton } from '#web/ui/icon-button.tsx'
import { Popover } from '#web/ui/overlay/popover.tsx'
import { tShell } from '../messages.ts'

const NotificationPanel = lazy(() =>
  import('./notification-panel.tsx').then((module) => ({ default: module.NotificationPanel })),
)

/** More are not counted on the bell. */
const mostShown = 99

/** The user's unread notifications in this organization, live, and the newest ones in a panel. */
export function NotificationBell() {
  const [shown, setShown] = useState(false)
  const { organization } = useSession()
  const unread = useCount(organization ? 'Notification Log' : null, { filters: [['read', '=', 0]] }).data ?? 0
  const count = unread > mostShown ? `${formatNumber(mostShown)}+` : formatNumber(unread)
  return (
    <Popover
      open={shown}
      onOpenChange={setShown}
      label={tShell('shell.notifications')}
      align="end"
      className="max-h-[min(560px,80dvh,var(--radix-popover-content-available-height))] w-[380px] max-w-[calc(100vw-16px)] overflow-y-auto"
      trigger={
        <IconButton
          label={unread > 0 ? tShell('shell.notifications_unread', { count }) : tShell('shell.notifications')}
          className="relative"
        >
          <Bell size={16} strokeWidth={1.75} aria-hidden="true" />
          {unread > 0 ? (
            <span
              aria-hidden="true"
              className="absolute top-0.5 right-0 min-w-4 rounded-full bg-danger px-1 text-center text-[10px] leading-4 font-semibold text-on-danger max-md:top-1.5 max-md:right-1"
            >
              {count}
            </span>
          ) : null}
        </IconButton>
      }
    >
      <NotificationPanel unread={unread} onClose={() => setShown(false)} />
    </Popover>
  )
}
