import type { InvitationDetails } from '#shared/doctypes/member-invite.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { ButtonLink } from '#web/ui/button.tsx'
import { PublicLayout } from '#web/features/public/public-layout.tsx'
import { tInvitation } from './messages.ts'

interface InvitationProps {
  invitation: InvitationDetails
}

const messageValues = (invitation: InvitationDetails) => ({
  organization: invitation.organization_title,
  inviter: invitation.invited_by,
  invited: invitation.user,
})

/** Already a member: a link to the organization. */
export function AlreadyMember({ invitation }: InvitationProps) {
  const { organization } = useSession()
  const values = messageValues(invitation)
  return (
    <PublicLayout title={tInvitation('invitation.already_title', values)} lead={tInvitation('invitation.already_lead')}>
      <ButtonLink
        to={organization?.name === invitation.organization ? '/' : `/organization/${invitation.organization}`}
        variant="primary"
        size="xl"
        block
      >
        {tInvitation('invitation.open', values)}
      </ButtonLink>
    </PublicLayout>
  )
}

/** The invitation was already accepted. */
export function Used({ invitation }: InvitationProps) {
  const values = messageValues(invitation)
  return (
    <PublicLayout title={tInvitation('invitation.used_title')} lead={tInvitation('invitation.used_lead', values)}>
      <HomeOrLogIn />
    </PublicLayout>
  )
}

/** Expired, or declined earlier. */
export function Expired({ invitation }: InvitationProps) {
  const values = messageValues(invitation)
  return (
    <PublicLayout title={tInvitation('invitation.expired_title')} lead={tInvitation('invitation.expired_lead', values)}>
      <HomeOrLogIn />
    </PublicLayout>
  )
}

/** Just declined. */
export function Declined({ invitation }: InvitationProps) {
  const values = messageValues(invitation)
  return (
    <PublicLayout
      title={tInvitation('invitation.declined_title')}
      lead={tInvitation('invitation.declined_lead', values)}
    >
      <HomeOrLogIn />
    </PublicLayout>
  )
}

function HomeOrLogIn() {
  const { user } = useSession()
  return (
    <ButtonLink to={user ? '/' : '/login'} size="xl" block>
      {user ? tInvitation('invitation.home') : tInvitation('invitation.log_in')}
    </ButtonLink>
  )
}
