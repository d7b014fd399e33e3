import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { boot } from '#web/lib/boot.ts'
import { t } from '#web/lib/messages.ts'
import { ButtonLink } from '#web/ui/button.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { PublicLayout } from '#web/ui/public-layout.tsx'
import { SignupForm } from './signup-form.tsx'
import { words } from './messages.ts'

/** Create an account: the installation's first one by the setup link, later ones by themselves. */
export function SignupPage() {
  const [params] = useSearchParams()
  const [sentTo, setSentTo] = useState<string | null>(null)
  const { has_accounts, signup, product_name } = boot()
  const setup = params.get('setup')
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
  if (signup === 'invite' && !setup) {
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
      lead={
        setup ? words('signup.setup_lead', { product: product_name }) : words('signup.lead', { product: product_name })
      }
      foot={setup ? undefined : haveAccount}
    >
      <SignupForm setupToken={setup} orgSku={params.get('org_sku')} onSent={setSentTo} />
    </PublicLayout>
  )
}
