import { UserPlus } from 'lucide-react'
import { useSearchParams } from '#web/lib/routing/router.tsx'
import { SummaryCards } from '#web/ui/summary-cards.tsx'
import { Button } from '#web/ui/button.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { PageHead, StickyAction } from '#web/ui/page-head.tsx'
import { StillLoading } from '#web/ui/still-loading.tsx'
import { useLoadLater } from '#web/lib/events/use-load-later.ts'
import { InviteDialog, loadDialogs } from './later-dialogs.ts'
import { t } from './messages.ts'
import { usePeople } from './people.ts'
import { peopleSummary } from './people-summary.ts'
import { PeopleList } from './people-list.tsx'
import { useMemberActions } from './use-member-actions.tsx'

/** URL parameter that opens the dialog. */
const inviteParam = 'invite'

/** Members and pending invitations of the organization. */
export function UsersPage() {
  useLoadLater(loadDialogs)
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
        <SummaryCards
          items={peopleSummary(people, invitations.data !== undefined)}
          failed={members.error !== null || (invitations.error !== null && !invitations.data)}
        />
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
