import { useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { toApiError } from '#web/lib/api/api-error.ts'
import { callFull } from '#web/lib/api/api.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { Link } from '#web/lib/routing/router.tsx'
import { ButtonLink } from '#web/ui/button.tsx'
import { Spinner } from '#web/ui/spinner.tsx'
import { PublicLayout } from '#web/features/public/public-layout.tsx'
import { SecondStep } from '#web/features/public/second-step.tsx'
import { tSso } from './messages.ts'
import { loginPath, rememberLoginKey, takePendingLogin } from './pending-login.ts'

/** `again`: path to start again; null if that is not known. */
type Outcome = ({ again: string | null } & ({ failure: string } | { tmpId: string })) | null

/** Where the provider sends the browser back to: finishes the login that this tab started. */
export function SsoCallbackPage() {
  const navigate = useNavigate()
  const query = useLocation().search.slice(1)
  const next = useRef<string | null>(null)
  const [outcome, setOutcome] = useState<Outcome>(null)
  const started = useRef(false)

  const open = () => location.replace(`/web${next.current ?? '/'}`)
  useEffect(() => {
    // The attempt works once, and so does the code: a second effect of the same page would find neither.
    if (started.current) return
    started.current = true
    const pending = takePendingLogin()
    // Nothing of it is left in the history of the browser.
    history.replaceState(history.state, '', '/web/sso/callback')
    if (!pending) return setOutcome({ failure: tSso('sso.lost'), again: null })
    next.current = pending.next
    const again = loginPath(pending.key)
    callFull('easydash.api.login_provider.finish', { query, attempt: pending.attempt }).then(
      (response) => {
        const tmpId = response['tmp_id']
        rememberLoginKey(pending.key)
        if (typeof tmpId === 'string') setOutcome({ tmpId, again })
        else open()
      },
      (error: unknown) => setOutcome({ failure: fullMessage(toApiError(error)), again }),
    )
  }, [query])

  if (outcome === null)
    return (
      <PublicLayout title={tSso('sso.back')}>
        <Spinner className="size-5 text-muted" />
      </PublicLayout>
    )
  if ('tmpId' in outcome)
    return (
      <SecondStep
        tmpId={outcome.tmpId}
        onDone={open}
        onBack={(reason) =>
          reason === null
            ? void navigate(outcome.again ?? '/sso')
            : setOutcome({ failure: reason, again: outcome.again })
        }
      />
    )
  return (
    <PublicLayout
      title={tSso('sso.failed')}
      lead={<span role="alert">{outcome.failure}</span>}
      foot={
        <Link to="/login" className="link">
          {tSso('sso.password')}
        </Link>
      }
    >
      <ButtonLink to={outcome.again ?? '/sso'} variant="primary" size="xl" block>
        {tSso('sso.again')}
      </ButtonLink>
    </PublicLayout>
  )
}
