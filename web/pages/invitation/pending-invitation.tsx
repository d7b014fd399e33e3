import { useEffect, useState } from 'react'
import { useNavigate } from 'react-router'
import { toApiError } from '#web/lib/api/api-error.ts'
import { call } from '#web/lib/api/api.ts'
import { boot } from '#web/lib/session/boot.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { formatDay } from '#web/lib/i18n/format-day.ts'
import type { InvitationDetails } from '#shared/doctypes/member-invite.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { DetailList } from '#web/ui/detail-list.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { roleLabel } from '#web/features/members/role-label.ts'
import { Spinner } from '#web/ui/spinner.tsx'
import { PublicLayout } from '#web/features/public/public-layout.tsx'
import { tInvitation } from './messages.ts'

interface InvitationProps {
  invitation: InvitationDetails
  token: string
}

/** A valid invitation: its details, and what the current user can do with it. */
export function PendingInvitation({ invitation, token, onDeclined }: InvitationProps & { onDeclined: () => void }) {
  const { user, verified } = useSession()
  const { organization_role: role } = invitation
  return (
    <PublicLayout
      title={tInvitation('invitation.title', { organization: invitation.organization_title })}
      lead={tInvitation('invitation.lead', {
        inviter: invitation.invited_by,
        organization: invitation.organization_title,
      })}
    >
      <div className="grid gap-6">
        <DetailList
          details={[
            { label: tInvitation('invitation.role'), value: roleLabel(role) },
            { label: tInvitation('invitation.can'), value: tInvitation(`invitation.can.${role}`) },
            { label: tInvitation('invitation.address'), value: invitation.user },
            { label: tInvitation('invitation.expires'), value: formatDay(invitation.expires) },
          ]}
        />
        {user === null && <SignedOut invitation={invitation} token={token} />}
        {user !== null && user !== invitation.user && (
          <OtherAccount invitation={invitation} token={token} user={user} />
        )}
        {user === invitation.user && !verified && <Unverified user={user} token={token} />}
        {user === invitation.user && verified && <InvitationActions token={token} onDeclined={onDeclined} />}
      </div>
    </PublicLayout>
  )
}

/** URL of this page with its token, below /web. */
const here = (token: string): string => `/invitation?token=${encodeURIComponent(token)}`

function SignedOut({ token }: InvitationProps) {
  return (
    <div className="grid gap-3">
      <p className="text-table text-muted">{tInvitation('invitation.signed_out')}</p>
      <ButtonLink to={`/signup?invite_token=${encodeURIComponent(token)}`} variant="primary" size="xl" block>
        {tInvitation('invitation.sign_up')}
      </ButtonLink>
      <ButtonLink to={`/login?next=${encodeURIComponent(here(token))}`} size="xl" block>
        {tInvitation('invitation.log_in')}
      </ButtonLink>
    </div>
  )
}

function OtherAccount({ invitation, token, user }: InvitationProps & { user: string }) {
  return (
    <div className="grid gap-3">
      <Notice tone="warn" title={tInvitation('invitation.other_title', { user })}>
        {tInvitation('invitation.other_text', { invited: invitation.user })}
      </Notice>
      <LogOut token={token} />
    </div>
  )
}

/** Logs out and returns to this page. */
function LogOut({ token, variant = 'default' }: { token: string; variant?: 'default' | 'ghost' }) {
  return (
    <Button
      size="xl"
      variant={variant}
      block
      onClick={async () => {
        const { logOut } = await import('#web/lib/session/log-out.ts')
        logOut(`/web${here(token)}`)
      }}
    >
      {tInvitation('invitation.log_out')}
    </Button>
  )
}

/** The account has to be confirmed first: by the link of an email or, without a mail server, by those who invited it. */
function Unverified({ user, token }: { user: string; token: string }) {
  if (!boot().mail_server) return <AskColleagues token={token} />
  return (
    <div className="grid gap-3">
      <Notice tone="info" title={tInvitation('invitation.unverified_title')}>
        {tInvitation('invitation.unverified_text', { user })}
      </Notice>
      <ButtonLink to="/verify-email" variant="primary" size="xl" block>
        {tInvitation('invitation.unverified_go')}
      </ButtonLink>
      <LogOut token={token} variant="ghost" />
    </div>
  )
}

/** Asks those who invited the account to confirm it, and goes on to the page that waits for them. */
function AskColleagues({ token }: { token: string }) {
  const navigate = useNavigate()
  const [problem, setProblem] = useState<string | null>(null)
  const [tries, setTries] = useState(0)
  useEffect(() => {
    let isCurrent = true
    call('easydash.api.account.ask_for_confirmation', { token }).then(
      () => isCurrent && navigate('/verify-email', { replace: true }),
      (error: unknown) => isCurrent && setProblem(fullMessage(toApiError(error))),
    )
    return () => {
      isCurrent = false
    }
  }, [token, tries, navigate])
  if (problem === null) return <Spinner className="size-5 text-muted" />
  return (
    <div className="grid gap-3">
      <Notice tone="bad">{problem}</Notice>
      <Button
        variant="primary"
        size="xl"
        block
        onClick={() => {
          setProblem(null)
          setTries(tries + 1)
        }}
      >
        {tInvitation('invitation.unverified_ask')}
      </Button>
      <LogOut token={token} variant="ghost" />
    </div>
  )
}

/** Accept or decline. Accepting reloads the page, because sockets and lists belong to the organization. */
function InvitationActions({ token, onDeclined }: { token: string; onDeclined: () => void }) {
  const [busy, setBusy] = useState<'accept' | 'decline' | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const send = async (what: 'accept' | 'decline', then: () => void): Promise<void> => {
    if (busy) return
    setBusy(what)
    setProblem(null)
    try {
      await call(`easydash.api.account.${what}_invitation`, { token })
      then()
    } catch (error) {
      setProblem(fullMessage(toApiError(error)))
      setBusy(null)
    }
  }
  return (
    <div className="grid gap-3">
      {problem && <Notice tone="bad">{problem}</Notice>}
      <Button
        variant="primary"
        size="xl"
        block
        busy={busy === 'accept'}
        onClick={() => void send('accept', () => location.assign('/web/'))}
      >
        {busy === 'accept' ? tInvitation('invitation.accepting') : tInvitation('invitation.accept')}
      </Button>
      <Button size="xl" block busy={busy === 'decline'} onClick={() => void send('decline', onDeclined)}>
        {tInvitation('invitation.decline')}
      </Button>
    </div>
  )
}
