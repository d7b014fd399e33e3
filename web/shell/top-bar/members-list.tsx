import { UserPlus } from 'lucide-react'
import { Link } from '#web/lib/routing/router.tsx'
import { createCatalog } from '#web/lib/i18n/catalog.ts'
import { useCount, useList } from '#web/lib/api/frappe.tsx'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { sessionRoles, useSession } from '#web/lib/session/session.tsx'
import { Avatar } from '#web/ui/images/avatar.tsx'
import { ButtonLink } from '#web/ui/button.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { roleLabel } from '#web/features/members/role-label.ts'
import { canOpen, useScreens } from '../frame/screens.tsx'

/** A member's public fields, visible to everyone in the organization. */
interface MemberFace {
  /** Email. */
  name: string
  full_name: string | null
  user_image: string | null
}

const t = createCatalog({
  people: '{count, plural, one {# person} other {# people}}',
  you: 'You',
  invite: 'Invite',
  all: 'Show all members',
  more: 'and {n} more',
  failed: 'Members could not be read',
  ask: 'An admin can invite people and change roles.',
})

/** Maximum members listed; the members page has all. */
const shown = 50

/** Content of the members control: names and roles; for users with the permission, links to invite and to the full list. */
export function MembersList({ onClose }: { onClose: () => void }) {
  const session = useSession()
  const { privileged: invites } = sessionRoles(session)
  const screens = useScreens()
  const people = useList('User', {
    fields: ['name', 'full_name', 'user_image'],
    order_by: 'creation asc',
    limit: shown,
  })
  // Members can't read the roles of others, only their own.
  const listed = people.data?.map(({ name }) => name) ?? []
  const roles = useList(listed.length > 0 ? 'Organization Member' : null, {
    fields: ['user', 'organization_role'],
    filters: [['user', 'in', listed]],
    limit: listed.length,
  })
  const count = useCount('User', { exact: true }).data
  const more = (count ?? 0) - (people.data?.length ?? 0)
  const ownerEmail = session.subscription?.user ?? (session.organization?.owner ? session.user : null)
  const roleOf = (email: string): string | null => {
    if (email === ownerEmail) return roleLabel('Owner')
    const role = roles.data?.find((row) => row.user === email)?.organization_role
    return role ? roleLabel(role) : null
  }

  return (
    <>
      <div className="flex items-start gap-3 border-b border-hairline px-3 py-2.5">
        <div className="min-w-0 flex-1">
          <h2 className="truncate">{session.organization?.title}</h2>
          <p className="text-meta text-muted">{count === undefined ? ' ' : t('people', { count })}</p>
        </div>
        {invites && canOpen(screens, session, '/user') && (
          <ButtonLink to="/user?invite=1" size="md" onClick={onClose}>
            <UserPlus size={14} strokeWidth={1.75} aria-hidden="true" />
            {t('invite')}
          </ButtonLink>
        )}
      </div>
      {people.error && !people.data ? (
        <ErrorPanel
          className="flex gap-3 p-3"
          title={t('failed')}
          error={people.error}
          onRetry={() => people.reload()}
        />
      ) : (
        <ul className="grid gap-px p-1">
          {people.data?.map((person) => (
            <Row
              key={person.name}
              person={person}
              role={roleOf(person.name)}
              own={person.name === session.user}
              href={invites || person.name === session.user ? `/user/${encodeURIComponent(person.name)}` : null}
              onClose={onClose}
            />
          )) ??
            [0, 1, 2].map((line) => (
              <li key={line} className="flex h-11 items-center gap-2.5 px-2">
                <Skeleton className="size-7 rounded-full" />
                <Skeleton className="h-3 w-40" />
              </li>
            ))}
          {more > 0 && <li className="px-2 py-1.5 text-table text-muted">{t('more', { n: formatNumber(more) })}</li>}
        </ul>
      )}
      <div className="border-t border-hairline p-1">
        {invites && canOpen(screens, session, '/user') ? (
          <Link
            to="/user"
            onClick={onClose}
            className="flex h-8 items-center rounded-ctl px-2 text-table font-medium text-brand-text hover:bg-hover max-md:h-11"
          >
            {t('all')}
          </Link>
        ) : (
          <p className="px-2 py-1.5 text-meta text-muted">{t('ask')}</p>
        )}
      </div>
    </>
  )
}

function Row({
  person,
  role,
  own,
  href,
  onClose,
}: {
  person: MemberFace
  role: string | null
  own: boolean
  /** The member's page, if the user can open it. */
  href: string | null
  onClose: () => void
}) {
  const name = person.full_name ?? person.name
  const content = (
    <>
      <Avatar name={name} image={person.user_image} />
      <span className="min-w-0 flex-1">
        <span className="block truncate text-table font-medium">
          {name}
          {own && <span className="font-normal text-muted"> · {t('you')}</span>}
        </span>
        {name !== person.name && <span className="block truncate text-meta text-muted">{person.name}</span>}
      </span>
      {role && <span className="shrink-0 text-meta text-muted">{role}</span>}
    </>
  )
  const className = 'flex min-h-11 items-center gap-2.5 rounded-ctl px-2 py-1'
  return (
    <li>
      {href ? (
        <Link to={href} onClick={onClose} className={`${className} hover:bg-hover focus-visible:-outline-offset-2`}>
          {content}
        </Link>
      ) : (
        <span className={className}>{content}</span>
      )}
    </li>
  )
}
