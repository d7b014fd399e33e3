import { Users } from 'lucide-react'
import { lazy, useEffect, useState, type CSSProperties } from 'react'
import { cx } from '#web/lib/browser/cx.ts'
import { useCount, useSmallList } from '#web/lib/api/frappe.tsx'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { Avatar } from '#web/ui/images/avatar.tsx'
import { Popover } from '#web/ui/overlay/popover.tsx'
import { maxAvatars, avatarGroupWidth, saveMemberCount } from './avatar-group-width.ts'
import { tShell } from '../messages.ts'

const MembersList = lazy(() => import('./members-list.tsx').then((module) => ({ default: module.MembersList })))

/**
 * Members of this organization: avatars in the top bar (`row`: an entry of the phone drawer) that open the list with roles.
 */
export function MembersControl({ row = false, onNavigate }: { row?: boolean; onNavigate?: () => void }) {
  const { organization } = useSession()
  const [open, setOpen] = useState(false)
  const people = useSmallList(organization ? 'User' : null, {
    fields: ['name', 'full_name', 'user_image'],
    order_by: 'creation asc',
    limit: maxAvatars,
  })
  const count = useCount(organization ? 'User' : null).data
  const [room] = useState(avatarGroupWidth)
  useEffect(() => {
    if (count) saveMemberCount(count)
  }, [count])
  if (!organization) return null
  const more = (count ?? 0) - maxAvatars
  const close = (): void => {
    setOpen(false)
    onNavigate?.()
  }
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      label={tShell('shell.members_of', { title: organization.title })}
      align={row ? 'start' : 'end'}
      className="max-h-[min(560px,80dvh,var(--radix-popover-content-available-height))] overflow-y-auto w-[340px] max-w-[calc(100vw-16px)]"
      trigger={
        <button
          type="button"
          aria-label={count === undefined ? tShell('shell.members') : tShell('shell.members_count', { count })}
          className={cx(
            'flex items-center gap-1.5 rounded-ctl hover:bg-hover data-[state=open]:bg-hover',
            row ? 'h-11 w-full gap-3 px-3 font-medium text-muted' : 'h-9 justify-end px-1.5 lg:min-w-(--room)',
          )}
          style={row ? undefined : ({ '--room': `${room}px` } as CSSProperties)}
        >
          {row ? (
            <>
              <Users size={16} strokeWidth={1.75} className="shrink-0" aria-hidden="true" />
              {tShell('shell.members')}
            </>
          ) : (
            <>
              {/* The button's name is sufficient; initials would be read letter by letter. */}
              <span className="flex gap-0.5 max-lg:hidden" aria-hidden="true">
                {(people.data ?? []).map((person) => (
                  <Avatar key={person.name} name={person.full_name ?? person.name} image={person.user_image} />
                ))}
              </span>
              {/* On tablets the breadcrumb needs the room. */}
              <Users
                size={16}
                strokeWidth={1.75}
                className={cx('m-1.5 text-muted', people.data?.length && 'lg:hidden')}
                aria-hidden="true"
              />
              {more > 0 && (
                // Generated content like the initials: the button's name has the full number.
                <span
                  aria-hidden="true"
                  data-more={`+${formatNumber(more)}`}
                  className="text-table text-muted max-lg:hidden before:content-[attr(data-more)]"
                />
              )}
            </>
          )}
        </button>
      }
    >
      <MembersList onClose={close} />
    </Popover>
  )
}
