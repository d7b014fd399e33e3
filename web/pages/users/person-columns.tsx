import { roleLabel } from '#web/features/members/role-label.ts'
import { Mail } from 'lucide-react'
import { Nothing } from '#web/documents/values/cells.tsx'
import type { ListColumn } from '#web/documents/list/list-columns.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { Avatar } from '#web/ui/images/avatar.tsx'
import { Tag } from '#web/ui/chip.tsx'
import { StatusPill } from '#web/ui/status.tsx'
import { Time } from '#web/ui/time.tsx'
import { InvitationButtons } from './invitation-buttons.tsx'
import { t } from './messages.ts'
import type { Person } from './people.ts'
import type { MemberActions } from './use-member-actions.tsx'

/** Amber is for what needs an act of the reader: somebody waits to be confirmed. */
const tones = { Joined: 'ok', Pending: 'none', Expired: 'off' } as const

/** Avatar or initials; an envelope for invitations. */
function Face({ person }: { person: Person }) {
  if (person.kind === 'member') return <Avatar size="lg" name={person.member} image={person.image} />
  return (
    <span className="grid size-8 shrink-0 place-items-center rounded-full border border-dashed border-input text-muted">
      <Mail size={16} strokeWidth={1.75} aria-hidden="true" />
    </span>
  )
}

/** Text below a name: the email, or the age of an invitation. */
function Subtitle({ person }: { person: Person }) {
  if (person.kind === 'invitation') {
    if (person.signed_up !== null)
      return <Time variant="standalone" value={person.signed_up} format={(when) => t('users.signed_up', { when })} />
    const end = person.status === 'Expired' ? 'users.expired_when' : 'users.expires'
    // An invitation has no page with the exact time.
    const ends = <Time variant="standalone" value={person.expires} format={(when) => t(end, { when })} />
    const since = person.sent ?? person.link_created
    if (person.status === 'Expired' || since === null) return ends
    return (
      <span className="whitespace-normal">
        {person.undelivered ? (
          <span className="text-bad">{t('users.undelivered')}</span>
        ) : (
          <Time value={since} format={(when) => t(person.sent === null ? 'users.created' : 'users.sent', { when })} />
        )}
        , {ends}
      </span>
    )
  }
  return <span className="[overflow-wrap:anywhere]">{person.user}</span>
}

/** Badges after the name. */
function Badge({ person }: { person: Person }) {
  if (!person.is_owner && !person.self) return null
  return (
    <span className="inline-flex items-center gap-1.5 align-top">
      {person.is_owner ? <Tag>{roleLabel('Owner')}</Tag> : null}
      {person.self ? <span className="font-normal text-muted">{t('users.you')}</span> : null}
    </span>
  )
}

/** Columns of the user list (docs/contracts/screens.md). `seesSignIn`: the viewer can see how users sign in. */
export function personColumns(
  seesSignIn: boolean,
  canManage: (person: Person) => boolean,
  actions: MemberActions,
): ListColumn<Person>[] {
  const known = (value: number | null) => (value === null ? <Nothing /> : formatNumber(value))
  const columns: (ListColumn<Person> | null)[] = [
    {
      field: 'member',
      icon: (person) => <Face person={person} />,
      badge: (person) => <Badge person={person} />,
      render: (person) => <Subtitle person={person} />,
      cardButton: (person) =>
        canManage(person) ? <InvitationButtons person={person} actions={actions} room="card" /> : null,
    },
    { field: 'organization_role', card: true },
    {
      field: 'status',
      render: ({ status, signed_up }) => (
        <StatusPill tone={signed_up === null ? tones[status] : 'warn'}>
          {signed_up === null ? translateText(status) : t('users.waiting')}
        </StatusPill>
      ),
    },
    {
      field: 'sites',
      right: true,
      from: 'desktop',
      render: ({ kind, sites }) => (kind === 'member' && sites === null ? t('users.all_sites') : known(sites)),
    },
    seesSignIn ? { field: 'ssh_keys', right: true, from: 'desktop', render: ({ ssh_keys }) => known(ssh_keys) } : null,
    seesSignIn
      ? {
          field: 'two_factor',
          render: ({ two_factor }) => {
            if (two_factor === null) return <Nothing />
            return two_factor === 'On' ? t('users.on') : <span className="text-muted">{t('users.off')}</span>
          },
        }
      : null,
    seesSignIn
      ? {
          field: 'last_active',
          from: 'desktop',
          render: ({ kind, last_active }) => {
            if (kind === 'invitation') return <Nothing />
            if (last_active === null) return <span className="text-muted">{t('users.never')}</span>
            return <Time className="text-muted" value={last_active} />
          },
        }
      : null,
    {
      field: 'added',
      // Who sees fewer columns has room for it on tablets.
      from: seesSignIn ? 'desktop' : 'tablet',
      render: ({ kind, added }) => (kind === 'member' ? <Time className="text-muted" value={added} /> : <Nothing />),
    },
  ]
  return columns.filter((column) => column !== null)
}
