import { useSearchParams } from '#web/lib/routing/router.tsx'
import { ConfirmByLink } from './confirm-by-link.tsx'
import { WaitForConfirmation } from './wait-for-confirmation.tsx'

/** `?token=` confirms the email, signed in or not; without it a signed-in user waits for the email here. */
export function VerifyEmailPage() {
  const [params] = useSearchParams()
  const token = params.get('token')
  return token ? <ConfirmByLink token={token} /> : <WaitForConfirmation />
}
