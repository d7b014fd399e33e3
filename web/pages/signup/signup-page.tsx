import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { boot } from '#web/lib/boot.ts'
import { t } from '#web/lib/messages.ts'
import { ButtonLink } from '#web/ui/button.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { PublicLayout } from '#web/ui/public-layout.tsx'
import { Spinner } from '#web/ui/spinner.tsx'
import { SignupForm } from './signup-form.tsx'
import { useInvitation, type InvitationState } from './use-invitation.ts'
import { words } from './messages.ts'

/** Create an account: the installation's first one by the setup link, later ones by themselves or with an invitation. */
export function SignupPage() {
  const [params] = useSearchParams()
  const [sentTo, setSentTo] = useState<string | null>(null)
  const { has_accounts, signup, product_name } = boot()
  const setup = params.get('setup')
  const invitation = useInvitation(params.get('invite_token'))
  const haveAccount = (
    <>
      {words('signup.have_account')}{' '}
      <Link to="/login" className="link">
        {t('login.submit')}
      </Link>
    </>
  )

  if (sentTo !== null) {
    return (
      <PublicLayout title={words('signup.sent_title')} lead={words('signup.sent_lead', { email: sentTo })}>
        <p className="mb-6 text-table text-muted">{words('signup.sent_hint')}</p>
        <ButtonLink to="/login" size="xl" block>
          {t('common.back_to_login')}
        </ButtonLink>
      </PublicLayout>
    )
  }
  if (!has_accounts && !setup) {
    return (
      <PublicLayout title={words('signup.first_title')} lead={words('signup.first_lead', { product: product_name })}>
        <Notice tone="info" title={words('signup.link_title')}>
          <p>{words('signup.link_text')}</p>
          <p className="mt-2 font-mono text-meta">{location.origin}/web/signup?setup=…</p>
        </Notice>
      </PublicLayout>
    )
  }
  if (invitation.state === 'busy') {
    return (
      <PublicLayout title={words('signup.invited_busy')}>
        <Spinner className="size-5 text-muted" />
      </PublicLayout>
    )
  }
  if (invitation.state === 'failed') {
    return (
      <PublicLayout title={words('signup.invited_failed')} foot={haveAccount}>
        <Notice tone="bad">{invitation.message}</Notice>
      </PublicLayout>
    )
  }
  if (signup === 'invite' && !setup && invitation.state === 'none') {
    return (
      <PublicLayout title={words('signup.title')} foot={haveAccount}>
        <Notice tone="info" title={words('signup.closed_title')}>
          {words('signup.closed_text')}
        </Notice>
      </PublicLayout>
    )
  }
  return (
    <PublicLayout
      title={setup ? words('signup.first_title') : words('signup.title')}
      lead={leadOf(setup !== null, invitation, product_name)}
      foot={setup ? undefined : haveAccount}
    >
      <SignupForm
        setupToken={setup}
        invitation={invitation.state === 'open' ? { token: invitation.token, email: invitation.facts.user } : null}
        orgSku={params.get('org_sku')}
        onSent={setSentTo}
      />
    </PublicLayout>
  )
}

/** What the account is for. */
function leadOf(isFirst: boolean, invitation: InvitationState, product: string): string {
  if (isFirst) return words('signup.setup_lead', { product })
  return invitation.state === 'open'
    ? words('signup.invited_lead', { organization: invitation.facts.organization_title })
    : words('signup.lead', { product })
}
