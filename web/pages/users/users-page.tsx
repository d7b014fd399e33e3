import { UserPlus } from 'lucide-react'
import { useSearchParams } from '#web/lib/routing/router.tsx'
import { listHref } from '#web/documents/query/list-href.ts'
import { locale } from '#web/lib/i18n/locale.ts'
import { SummaryCards, type SummaryCard } from '#web/ui/summary-cards.tsx'
import { Button } from '#web/ui/button.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { PageHead, StickyAction } from '#web/ui/page-head.tsx'
import { StillLoading } from '#web/ui/still-loading.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { t } from './messages.ts'
import { usePeople, type Person } from './people.ts'
import { PeopleList } from './people-list.tsx'
import { useMemberActions } from './use-member-actions.tsx'

/** URL parameter that opens the dialog. */
const inviteParam = 'invite'

const list = new Intl.ListFormat(locale, { style: 'short', type: 'unit' })

/** Summary cards: members, roles and pending invitations, counted from the list itself. */
function summaryOf(people: readonly Person[] | undefined): SummaryCard[] {
  const members = people?.filter((person) => person.kind === 'member') ?? []
  const count = (test: (person: Person) => boolean) => people?.filter(test).length ?? 0
  const [pending, expired] = [count(({ status }) => status === 'Pending'), count(({ status }) => status === 'Expired')]
  const waiting = count(({ signed_up }) => signed_up !== null)
  const parts = (entries: readonly (readonly [Parameters<typeof t>[0], number])[]) =>
    list.format(entries.flatMap(([key, number]) => (number > 0 ? [t(key, { count: number })] : [])))
  const unprotected = count(({ two_factor }) => two_factor === 'Off')
  const idle = members.filter(({ sites }) => sites === 0).length
  const owner = members.find(({ is_owner }) => is_owner)
  const next = people
    ?.filter(({ status, expires }) => status === 'Pending' && expires !== null)
    .toSorted((a, b) => (a.expires ?? '').localeCompare(b.expires ?? ''))[0]
  return [
    {
      label: t('users.who_q'),
      value: people ? t('users.member_count', { count: members.length }) : null,
      detail: unprotected > 0 ? t('users.no_factor', { count: unprotected }) : undefined,
    },
    {
      label: t('users.what_q'),
      value: people
        ? parts([
            [
              'users.admins',
              count((person) => person.kind === 'member' && person.organization_role === 'Organization Admin'),
            ],
            [
              'users.managers',
              count((person) => person.kind === 'member' && person.organization_role === 'Organization Manager'),
            ],
            [
              'users.plain',
              count((person) => person.kind === 'member' && person.organization_role === 'Organization User'),
            ],
          ])
        : null,
      detail:
        idle > 0
          ? t('users.sees_nothing', { count: idle })
          : owner
            ? t('users.owned', { name: owner.member })
            : undefined,
    },
    {
      label: t('users.missing_q'),
      value: people
        ? parts([
            ['users.pending', pending],
            ['users.expired', expired],
          ]) || t('users.missing_none')
        : null,
      tone: waiting + expired > 0 ? 'warn' : pending > 0 ? 'none' : 'ok',
      detail: next?.expires
        ? { value: next.expires, format: (when) => t('users.expires_next', { user: next.user, when }) }
        : undefined,
      href: pending + expired > 0 ? listHref('/user', [['status', '!=', 'Joined']]) : undefined,
    },
  ]
}

/** Members and pending invitations of the organization. */
export function UsersPage() {
  const loaded = usePeople()
  const { people, members, invitations } = loaded
  const actions = useMemberActions(loaded)
  const [params, setParams] = useSearchParams()
  const inviting = params.get(inviteParam) === '1'
  const reload = () => void Promise.all([members.reload(), invitations.reload()])

  const show = (open: boolean) =>
    setParams(
      (current) => {
        const next = new URLSearchParams(current)
        if (open) next.set(inviteParam, '1')
        else next.delete(inviteParam)
        return next
      },
      { replace: true },
    )
  const invite = (className: string) => (
    <Button variant="primary" className={className} onClick={() => show(true)}>
      <UserPlus size={16} strokeWidth={1.75} aria-hidden="true" />
      {t('users.invite')}
    </Button>
  )
  const joined = people?.filter((person) => person.kind === 'member').length ?? 0
  const waiting = (people?.length ?? 0) - joined
  const subtitle =
    people === undefined
      ? null
      : [
          t('users.member_count', { count: joined }),
          waiting > 0 ? t('users.invitation_count', { count: waiting }) : null,
        ]
          .filter(Boolean)
          .join(', ')
  return (
    <>
      <PageHead title={t('users.title')} subtitle={subtitle}>
        {invite('max-md:hidden')}
      </PageHead>
      {/* Phones have the same numbers in the subtitle and the views, and need the space for the list. */}
      <div className="max-md:hidden">
        <SummaryCards items={summaryOf(people)} failed={members.error !== null} />
      </div>
      <StillLoading slow={members.isSlow || invitations.isSlow} />
      {members.error && !people ? (
        <ErrorPanel title={t('users.error_title')} error={members.error} onRetry={reload} />
      ) : (
        <PeopleList people={people} actions={actions} onChanged={reload} />
      )}
      <StickyAction>{invite('')}</StickyAction>
      {actions.dialogs}
      {inviting ? <InviteDialog people={people ?? []} onClose={() => show(false)} onInvited={reload} /> : null}
    </>
  )
}
