import { useEffect, useState } from 'react'
import { useSearchParams } from '#web/lib/routing/router.tsx'
import { toApiError, type ApiError } from '#web/lib/api/api-error.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import type { InvitationDetails } from '#shared/doctypes/member-invite.ts'
import { checkInvitation } from '#web/lib/session/invitation.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { ButtonLink } from '#web/ui/button.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { PublicLayout } from '#web/features/public/public-layout.tsx'
import { Spinner } from '#web/ui/spinner.tsx'
import { AlreadyMember, Declined, Expired, Used } from './closed-invitation.tsx'
import { PendingInvitation } from './pending-invitation.tsx'
import { tInvitation } from './messages.ts'

/** `?token=`: inviter, organization, role, and the available actions. */
export function InvitationPage() {
  const [params] = useSearchParams()
  const token = params.get('token') ?? ''
  const { organizations } = useSession()
  const [found, setFound] = useState<InvitationDetails | ApiError | null>(null)
  const [declined, setDeclined] = useState(false)

  useEffect(() => {
    if (token === '') return
    let stopped = false
    checkInvitation(token).then(
      (invitation) => !stopped && setFound(invitation),
      (error: unknown) => !stopped && setFound(toApiError(error)),
    )
    return () => {
      stopped = true
    }
  }, [token])

  if (token === '') return <Broken message={tInvitation('invitation.incomplete')} />
  if (found === null) {
    return (
      <PublicLayout title={tInvitation('invitation.busy')}>
        <Spinner className="size-5 text-muted" />
      </PublicLayout>
    )
  }
  if (found instanceof Error) return <Broken message={fullMessage(found)} />
  if (organizations.some(({ name }) => name === found.organization)) return <AlreadyMember invitation={found} />
  if (declined) return <Declined invitation={found} />
  if (found.status === 'verified') return <Used invitation={found} />
  if (found.status === 'expired') return <Expired invitation={found} />
  return <PendingInvitation invitation={found} token={token} onDeclined={() => setDeclined(true)} />
}

function Broken({ message }: { message: string }) {
  const { user } = useSession()
  return (
    <PublicLayout title={tInvitation('invitation.failed_title')}>
      <Notice tone="bad" className="mb-6">
        {message}
      </Notice>
      <ButtonLink to={user ? '/' : '/login'} size="xl" block>
        {user ? tInvitation('invitation.home') : tInvitation('invitation.log_in')}
      </ButtonLink>
    </PublicLayout>
  )
}
