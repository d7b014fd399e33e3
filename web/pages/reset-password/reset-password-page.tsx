import { useEffect, useState, type FormEvent } from 'react'
import { useNavigate } from 'react-router'
import { Link, useSearchParams } from '#web/lib/routing/router.tsx'
import { toApiError } from '#web/lib/api/api-error.ts'
import { call } from '#web/lib/api/api.ts'
import { focusFirstError, type FormErrors } from '#web/ui/form/form-errors.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { userFromCookie } from '#web/lib/session/session.tsx'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { NewPasswordField, newPasswordProblem } from '#web/features/accounts/new-password-field.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Spinner } from '#web/ui/spinner.tsx'
import { PublicLayout } from '#web/features/public/public-layout.tsx'
import { tReset } from './messages.ts'

type LinkState = 'checking' | 'open' | 'gone'

/** Whether the link still works. If nobody can say so, the form is shown: the server looks at the link again when it is sent. */
function useLinkState(key: string | null): [LinkState, (state: LinkState) => void] {
  const [state, setState] = useState<LinkState>(key ? 'checking' : 'gone')
  useEffect(() => {
    if (!key) return
    let stopped = false
    call('easydash.api.account.check_password_link', { key }).then(
      () => !stopped && setState('open'),
      (error: unknown) => !stopped && setState(toApiError(error).httpStatus === 410 ? 'gone' : 'open'),
    )
    return () => {
      stopped = true
    }
  }, [key])
  return [state, setState]
}

/** Sets a new password with the link of an email (`?key=`). */
export function ResetPasswordPage() {
  const [params] = useSearchParams()
  const key = params.get('key')
  const [state, setState] = useLinkState(key)
  if (state === 'checking')
    return (
      <PublicLayout title={tReset('reset.title')}>
        <Spinner className="size-5 text-muted" />
      </PublicLayout>
    )
  if (state === 'open' && key) return <NewPasswordForm linkKey={key} onGone={() => setState('gone')} />
  return (
    <PublicLayout title={tReset('reset.gone_title')} lead={tReset('reset.gone_lead')}>
      <ButtonLink to="/forgot-password" variant="primary" size="xl" block>
        {tReset('reset.new_link')}
      </ButtonLink>
    </PublicLayout>
  )
}

/** All other sessions end with the new password. */
function NewPasswordForm({ linkKey: key, onGone }: { linkKey: string; onGone: () => void }) {
  const navigate = useNavigate()
  const [password, setPassword] = useState('')
  const [busy, setBusy] = useState(false)
  const [errors, setErrors] = useState<FormErrors>({})

  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    if (busy) return
    const form = event.currentTarget
    setBusy(true)
    const problem = await newPasswordProblem(password, [])
    if (problem) {
      setErrors({ new_password: problem })
      setBusy(false)
      focusFirstError(form)
      return
    }
    setErrors({})
    try {
      await call('frappe.core.doctype.user.user.update_password', {
        new_password: password,
        key,
        logout_all_sessions: 1,
      })
      // The server may have signed the user in.
      if (userFromCookie()) location.assign('/web/')
      else void navigate('/login', { replace: true, state: { notice: tReset('reset.done') } })
    } catch (error) {
      const failure = toApiError(error)
      setBusy(false)
      if (failure.httpStatus === 410) onGone()
      else {
        setErrors({ [failure.field === 'new_password' ? 'new_password' : '']: fullMessage(failure) })
        focusFirstError(form)
      }
    }
  }

  return (
    <PublicLayout
      title={tReset('reset.title')}
      lead={tReset('reset.lead')}
      foot={
        <Link to="/login" className="link">
          {t('common.back_to_login')}
        </Link>
      }
    >
      <form noValidate className="grid gap-4" onSubmit={(event) => void submit(event)}>
        {errors[''] && <Notice tone="bad">{errors['']}</Notice>}
        <NewPasswordField
          label={tReset('reset.new_password')}
          name="new_password"
          value={password}
          about={[]}
          error={errors['new_password'] ?? null}
          onChange={setPassword}
        />
        <Button type="submit" variant="primary" size="xl" block busy={busy}>
          {busy ? tReset('reset.busy') : tReset('reset.submit')}
        </Button>
      </form>
    </PublicLayout>
  )
}
