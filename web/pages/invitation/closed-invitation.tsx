import type { InvitationFacts } from '#shared/doctypes/member-invite.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { ButtonLink } from '#web/ui/button.tsx'
import { PublicLayout } from '#web/features/public/public-layout.tsx'
import { words } from './messages.ts'

interface Parts {
  facts: InvitationFacts
}

const messageValues = (facts: InvitationFacts) => ({
  organization: facts.organization_title,
  inviter: facts.invited_by,
  invited: facts.user,
})

/** Already a member: a link to the organization. */
export function AlreadyMember({ facts }: Parts) {
  const { organization } = useSession()
  const values = messageValues(facts)
  return (
    <PublicLayout title={words('invitation.already_title', values)} lead={words('invitation.already_lead')}>
      <ButtonLink
        to={organization?.name === facts.organization ? '/' : `/organization/${facts.organization}`}
        variant="primary"
        size="xl"
        block
      >
        {words('invitation.open', values)}
      </ButtonLink>
    </PublicLayout>
  )
}

/** The invitation was already accepted. */
export function Used({ facts }: Parts) {
  const values = messageValues(facts)
  return (
    <PublicLayout title={words('invitation.used_title')} lead={words('invitation.used_lead', values)}>
      <HomeOrLogIn />
    </PublicLayout>
  )
}

/** Expired, or declined earlier. */
export function Expired({ facts }: Parts) {
  const values = messageValues(facts)
  return (
    <PublicLayout title={words('invitation.expired_title')} lead={words('invitation.expired_lead', values)}>
      <HomeOrLogIn />
    </PublicLayout>
  )
}

/** Just declined. */
export function Declined({ facts }: Parts) {
  const values = messageValues(facts)
  return (
    <PublicLayout title={words('invitation.declined_title')} lead={words('invitation.declined_lead', values)}>
      <HomeOrLogIn />
    </PublicLayout>
  )
}

function HomeOrLogIn() {
  const { user } = useSession()
  return (
    <ButtonLink to={user ? '/' : '/login'} size="xl" block>
      {user ? words('invitation.home') : words('invitation.log_in')}
    </ButtonLink>
  )
}
