import { useEffect, useState } from 'react'
import type { Confirmed } from '#shared/responses/verification.ts'
import { toApiError, type ApiError } from '#web/lib/api/api-error.ts'
import { call } from '#web/lib/api/api.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { ButtonLink } from '#web/ui/button.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { PublicLayout } from '#web/features/public/public-layout.tsx'
import { Spinner } from '#web/ui/spinner.tsx'
import { tVerify } from './messages.ts'

/** One request per token, even if the component mounts twice, because the link works only once. */
const requests = new Map<string, Promise<Confirmed>>()
function confirm(token: string): Promise<Confirmed> {
  const running = requests.get(token) ?? call<Confirmed>('easydash.api.account.verify_email', { token })
  requests.set(token, running)
  return running
}

/** Confirms the email by its link, then redirects. */
export function ConfirmByLink({ token }: { token: string }) {
  const { user, refresh } = useSession()
  const [state, setState] = useState<'busy' | Confirmed | ApiError>('busy')
  useEffect(() => {
    confirm(token).then(
      async (confirmed) => {
        setState(confirmed)
        // Signed in: the route gates redirect.
        await refresh()
      },
      (error: unknown) => setState(toApiError(error)),
    )
  }, [token, refresh])

  if (state === 'busy') {
    return (
      <PublicLayout title={tVerify('verify.busy')}>
        <Spinner className="size-5 text-muted" />
      </PublicLayout>
    )
  }
  if ('redirect' in state && state.choose_password) {
    return (
      <PublicLayout title={tVerify('verify.done_title')} lead={tVerify('verify.choose_lead')}>
        <ButtonLink to={state.redirect.replace(/^\/web/, '')} variant="primary" size="xl" block>
          {tVerify('verify.choose_password')}
        </ButtonLink>
      </PublicLayout>
    )
  }
  if ('redirect' in state) {
    return (
      <PublicLayout title={tVerify('verify.done_title')} lead={tVerify('verify.done_lead')}>
        <ButtonLink to={user ? '/' : '/login'} variant="primary" size="xl" block>
          {user ? tVerify('verify.continue') : t('login.submit')}
        </ButtonLink>
      </PublicLayout>
    )
  }
  return (
    <PublicLayout title={tVerify('verify.failed_title')}>
      <Notice tone="bad" className="mb-6">
        {fullMessage(state)}
      </Notice>
      <p className="mb-4 text-table text-muted">{tVerify('verify.failed_hint')}</p>
      <ButtonLink to={user ? '/verify-email' : '/login'} variant="primary" size="xl" block>
        {user ? tVerify('verify.another_link') : t('login.submit')}
      </ButtonLink>
    </PublicLayout>
  )
}
