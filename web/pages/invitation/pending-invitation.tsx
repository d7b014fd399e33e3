import { useState } from 'react'
import { toApiError } from '#web/lib/api/api-error.ts'
import { call } from '#web/lib/api/api.ts'
import { boot } from '#web/lib/session/boot.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { formatDay } from '#web/lib/i18n/format-day.ts'
import type { InvitationFacts } from '#shared/doctypes/member-invite.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { FactList } from '#web/ui/facts.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { roleLabel } from '#web/features/members/role-label.ts'
import { PublicLayout } from '#web/features/public/public-layout.tsx'
import { words } from './messages.ts'

interface Parts {
  facts: InvitationFacts
  token: string
}

/** A valid invitation: its details, and what the current user can do with it. */
export function Open({ facts, token, onDeclined }: Parts & { onDeclined: () => void }) {
  const { user, verified } = useSession()
  const { organization_role: role } = facts
  return (
    <PublicLayout
      title={words('invitation.title', { organization: facts.organization_title })}
      lead={words('invitation.lead', { inviter: facts.invited_by, organization: facts.organization_title })}
    >
      <div className="grid gap-6">
        <FactList
          facts={[
            { label: words('invitation.role'), value: roleLabel(role) },
            { label: words('invitation.can'), value: words(`invitation.can.${role}`) },
            { label: words('invitation.address'), value: facts.user },
            { label: words('invitation.expires'), value: formatDay(facts.expires) },
          ]}
        />
        {user === null && <SignedOut facts={facts} token={token} />}
        {user !== null && user !== facts.user && <SomebodyElse facts={facts} token={token} user={user} />}
        {user === facts.user && !verified && <Unverified user={user} />}
        {user === facts.user && verified && <InvitationActions token={token} onDeclined={onDeclined} />}
      </div>
    </PublicLayout>
  )
}

/** URL of this page with its token, below /web. */
const here = (token: string): string => `/invitation?token=${encodeURIComponent(token)}`

function SignedOut({ token }: Parts) {
  return (
    <div className="grid gap-3">
      <p className="text-table text-muted">{words('invitation.signed_out')}</p>
      <ButtonLink to={`/signup?invite_token=${encodeURIComponent(token)}`} variant="primary" size="xl" block>
        {words('invitation.sign_up')}
      </ButtonLink>
      <ButtonLink to={`/login?next=${encodeURIComponent(here(token))}`} size="xl" block>
        {words('invitation.log_in')}
      </ButtonLink>
    </div>
  )
}

function SomebodyElse({ facts, token, user }: Parts & { user: string }) {
  return (
    <div className="grid gap-3">
      <Notice tone="warn" title={words('invitation.other_title', { user })}>
        {words('invitation.other_text', { invited: facts.user })}
      </Notice>
      <Button
        size="xl"
        block
        onClick={async () => {
          const { logOut } = await import('#web/lib/session/log-out.ts')
          logOut(`/web${here(token)}`)
        }}
      >
        {words('invitation.log_out')}
      </Button>
    </div>
  )
}

function Unverified({ user }: { user: string }) {
  return (
    <div className="grid gap-3">
      <Notice tone="info" title={words('invitation.unverified_title')}>
        {words(boot().mail_server ? 'invitation.unverified_text' : 'invitation.unverified_kept', { user })}
      </Notice>
      <ButtonLink to="/verify-email" variant="primary" size="xl" block>
        {words('invitation.unverified_go')}
      </ButtonLink>
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
        {busy === 'accept' ? words('invitation.accepting') : words('invitation.accept')}
      </Button>
      <Button size="xl" block busy={busy === 'decline'} onClick={() => void send('decline', onDeclined)}>
        {words('invitation.decline')}
      </Button>
    </div>
  )
}
