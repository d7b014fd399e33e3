import { useState } from 'react'
import { Link, useSearchParams } from '#web/lib/routing/router.tsx'
import { boot } from '#web/lib/session/boot.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { PublicLayout } from '#web/features/public/public-layout.tsx'
import { Spinner } from '#web/ui/spinner.tsx'
import { SignupForm } from './signup-form.tsx'
import { SignupNote, type Note } from './signup-notes.tsx'
import { useInvitation, type InvitationState } from './use-invitation.ts'
import { tSignup } from './messages.ts'

/** Creates an account: the installation's first one with the setup link, later ones by signup or invitation. */
export function SignupPage() {
  const [params] = useSearchParams()
  const [sent, setSent] = useState<Note | null>(null)
  const { has_accounts, signup, product_name } = boot()
  const setup = params.get('setup')
  const invitation = useInvitation(params.get('invite_token'))
  const haveAccount = (
    <>
      {tSignup('signup.have_account')}{' '}
      <Link to="/login" className="link">
        {t('login.submit')}
      </Link>
    </>
  )

  const note = noteOf(sent, has_accounts || setup !== null, signup === 'open' || setup !== null, invitation)
  if (note) {
    return <SignupNote note={note} haveAccount={haveAccount} />
  }
  if (invitation.state === 'busy') {
    return (
      <PublicLayout title={tSignup('signup.invited_busy')}>
        <Spinner className="size-5 text-muted" />
      </PublicLayout>
    )
  }
  return (
    <PublicLayout
      title={setup ? tSignup('signup.first_title') : tSignup('signup.title')}
      lead={leadOf(setup !== null, invitation, product_name)}
      foot={setup ? undefined : haveAccount}
    >
      <SignupForm
        setupToken={setup}
        invitation={invitation.state === 'open' ? { token: invitation.token, email: invitation.details.user } : null}
        orgSku={params.get('org_sku')}
        onSent={(email, mailed) =>
          setSent({ kind: 'sent', email, by: mailed ? 'mail' : invitation.state === 'open' ? 'colleague' : 'operator' })
        }
      />
    </PublicLayout>
  )
}

/** What to show instead of the form; null if the form can be shown, or while an invitation is loading. */
function noteOf(sent: Note | null, possible: boolean, open: boolean, invitation: InvitationState): Note | null {
  if (sent) return sent
  if (!possible) return { kind: 'no_link' }
  if (invitation.state === 'failed') return { kind: 'failed', message: invitation.message }
  return !open && invitation.state === 'none' ? { kind: 'closed' } : null
}

/** Purpose of the account. */
function leadOf(isFirst: boolean, invitation: InvitationState, product: string): string {
  if (isFirst) return tSignup('signup.setup_lead', { product })
  return invitation.state === 'open'
    ? tSignup('signup.invited_lead', { organization: invitation.details.organization_title })
    : tSignup('signup.lead', { product })
}
