import { Mail, Send } from 'lucide-react'
import { Nothing, type ListRow } from '#web/documents/list/cells.tsx'
import type { ListColumn } from '#web/documents/list/list-columns.ts'
import { described } from '#web/lib/i18n/catalog.ts'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { Avatar } from '#web/ui/images/avatar.tsx'
import { Button } from '#web/ui/button.tsx'
import { Tag } from '#web/ui/chip.tsx'
import { StatusPill } from '#web/ui/status.tsx'
import { Time } from '#web/ui/time.tsx'
import { t } from './messages.ts'
import type { Person } from './people.ts'
import type { PersonActs } from './use-person-acts.tsx'

/** Casts a list row to our row type. */
export const personOf = (row: ListRow): Person => row as Person

const tones = { Joined: 'ok', Pending: 'warn', Expired: 'off' } as const

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
function Beneath({ person }: { person: Person }) {
  if (person.kind === 'invitation') {
    const end = person.status === 'Expired' ? 'users.expired_when' : 'users.expires'
    // An invitation has no page with the exact time.
    const ends = <Time place="alone" value={person.expires} words={(when) => t(end, { when })} />
    if (person.status === 'Expired' || !person.sent) return ends
    return (
      <>
        <Time value={person.sent} words={(when) => t('users.sent', { when })} />, {ends}
      </>
    )
  }
  return <span className="[overflow-wrap:anywhere]">{person.user}</span>
}

/** Badges after the name. */
function Badge({ person }: { person: Person }) {
  if (!person.is_owner && !person.self) return null
  return (
    <span className="inline-flex items-center gap-1.5 align-top">
      {person.is_owner ? <Tag>{t('users.owner')}</Tag> : null}
      {person.self ? <span className="font-normal text-muted">{t('users.you')}</span> : null}
    </span>
  )
}

/** Columns of the user list (docs/contracts/screens.md); `tellAll`: the viewer can see how users sign in. */
export function personColumns(tellAll: boolean, may: (person: Person) => boolean, acts: PersonActs): ListColumn[] {
  const resend = (person: Person) => (
    <Button size="md" onClick={() => void acts.resend(person)}>
      <Send size={14} strokeWidth={1.75} aria-hidden="true" className="text-muted" />
      {t('act.resend')}
      <span className="sr-only"> {person.user}</span>
    </Button>
  )
  const copy = (person: Person) => (
    <Button size="md" variant="ghost" onClick={() => void acts.copyLink(person)}>
      {t('act.copy_link')}
      <span className="sr-only"> {person.user}</span>
    </Button>
  )
  const known = (value: number | null) => (value === null ? <Nothing /> : formatNumber(value))
  const columns: (ListColumn | null)[] = [
    {
      field: 'member',
      icon: (row) => <Face person={personOf(row)} />,
      badge: (row) => <Badge person={personOf(row)} />,
      render: (row) => <Beneath person={personOf(row)} />,
    },
    { field: 'organization_role', card: true },
    {
      field: 'status',
      render: (row) => <StatusPill tone={tones[personOf(row).status]}>{described(personOf(row).status)}</StatusPill>,
    },
    {
      field: 'sites',
      right: true,
      from: 'desktop',
      render: (row) => {
        const { kind, sites } = personOf(row)
        return kind === 'member' && sites === null ? t('users.all_sites') : known(sites)
      },
    },
    tellAll
      ? { field: 'ssh_keys', right: true, from: 'desktop', render: (row) => known(personOf(row).ssh_keys) }
      : null,
    tellAll
      ? {
          field: 'two_factor',
          render: (row) => {
            const { two_factor } = personOf(row)
            if (two_factor === null) return <Nothing />
            return two_factor === 'On' ? t('users.on') : <span className="font-medium text-warn">{t('users.off')}</span>
          },
        }
      : null,
    tellAll
      ? {
          field: 'last_active',
          from: 'desktop',
          render: (row) => {
            const person = personOf(row)
            if (person.kind === 'invitation') return may(person) ? resend(person) : <Nothing />
            if (person.last_active === null) return <span className="text-muted">{t('users.not_yet')}</span>
            return <Time className="text-muted" value={person.last_active} />
          },
        }
      : null,
    {
      field: 'added',
      from: 'desktop',
      render: (row) => {
        const person = personOf(row)
        if (person.kind === 'member') return <Time className="text-muted" value={person.added} />
        if (!may(person)) return <Nothing />
        return (
          <span className="inline-flex items-center gap-1">
            {tellAll ? null : resend(person)}
            {copy(person)}
          </span>
        )
      },
    },
  ]
  return columns.filter((column) => column !== null)
}
