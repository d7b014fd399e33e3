import { lazy, Suspense, useRef, useState, type FormEvent } from 'react'
import { useLocation } from 'react-router'
import { Link, useSearchParams } from '#web/lib/routing/router.tsx'
import { safeNext } from '#web/lib/routing/safe-next.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { callFull } from '#web/lib/api/api.ts'
import { once } from '#web/lib/browser/once.ts'
import { boot } from '#web/lib/session/boot.ts'
import { focusFirstError, textOf, type FormErrors } from '#web/ui/form/form-errors.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { PasswordInput } from '#web/ui/form/password-input.tsx'
import { PublicLayout } from '#web/features/public/public-layout.tsx'
import { LazyBoundary } from '#web/ui/lazy-boundary.tsx'

const loadSecondStep = once(() => import('#web/features/public/second-step.tsx'))
const SecondStep = lazy(() => loadSecondStep().then((module) => ({ default: module.SecondStep })))

/** Login with email and password. Reloads the page afterwards, because sockets and tokens belong to the session. */
export function LoginPage() {
  const [params] = useSearchParams()
  const state = useLocation().state as { notice?: string } | null
  const form = useRef<HTMLFormElement>(null)
  const [busy, setBusy] = useState(false)
  const [errors, setErrors] = useState<FormErrors>({})
  /** The login attempt that waits for a code, and why the last one ended. */
  const [step, setStep] = useState<{ tmpId: string | null; reason: string | null }>({ tmpId: null, reason: null })
  const { signup, url, login_providers } = boot()
  const target = params.get('next')

  const fail = (next: FormErrors): void => {
    setErrors(next)
    if (form.current) focusFirstError(form.current)
  }
  const done = (response: Record<string, unknown>): void => {
    const redirect =
      typeof response['redirect_to'] === 'string' ? safeNext(response['redirect_to'].replace(/^\/web/, '')) : null
    location.assign(`/web${redirect ?? safeNext(target) ?? '/'}`)
  }
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    if (busy) return
    const values = new FormData(event.currentTarget)
    const usr = textOf(values, 'usr').trim()
    const pwd = textOf(values, 'pwd')
    const missing = {
      ...(usr === '' && { usr: t('form.email_missing') }),
      ...(pwd === '' && { pwd: t('form.password_missing') }),
    }
    if (Object.keys(missing).length > 0) return fail(missing)
    setBusy(true)
    setErrors({})
    try {
      const response = await callFull('login', { usr, pwd }, { failure: 'There was an error while logging in' })
      const tmpId = response['tmp_id']
      if (typeof tmpId !== 'string') return done(response)
      // The form stays until the next one is here; rendering handles a failure.
      await loadSecondStep().catch(() => null)
      setBusy(false)
      setStep({ tmpId, reason: null })
    } catch (error) {
      const failure = toApiError(error)
      setBusy(false)
      if (failure.httpStatus === 401) fail({ pwd: t('login.wrong') })
      else fail({ '': fullMessage(failure) })
    }
  }

  if (step.tmpId !== null) {
    return (
      <LazyBoundary level="screen">
        <Suspense fallback={null}>
          <SecondStep tmpId={step.tmpId} onDone={done} onBack={(reason) => setStep({ tmpId: null, reason })} />
        </Suspense>
      </LazyBoundary>
    )
  }
  return (
    <PublicLayout
      title={t('login.title')}
      lead={t('login.lead', { host: new URL(url).host })}
      foot={
        signup === 'open' ? (
          <>
            {t('login.new_here')}{' '}
            <Link to="/signup" className="link">
              {t('login.create_account')}
            </Link>
          </>
        ) : (
          t('login.invite_only')
        )
      }
    >
      {state?.notice && (
        <Notice tone="ok" className="mb-4">
          {state.notice}
        </Notice>
      )}
      <form ref={form} noValidate className="grid gap-4" onSubmit={(event) => void submit(event)}>
        {step.reason !== null && <Notice tone="warn">{step.reason}</Notice>}
        {errors[''] && <Notice tone="bad">{errors['']}</Notice>}
        <Field label={t('form.email')} error={errors['usr']} required>
          <Input
            large
            type="email"
            name="usr"
            autoComplete="username"
            inputMode="email"
            autoCapitalize="off"
            spellCheck={false}
          />
        </Field>
        <Field
          label={t('form.password')}
          error={errors['pwd']}
          required
          aside={
            <Link to="/forgot-password" className="link">
              {t('login.forgot')}
            </Link>
          }
        >
          <PasswordInput large name="pwd" autoComplete="current-password" />
        </Field>
        <Button type="submit" variant="primary" size="xl" block busy={busy}>
          {busy ? t('login.busy') : t('login.submit')}
        </Button>
        {login_providers && (
          <Link to={target === null ? '/sso' : `/sso?next=${encodeURIComponent(target)}`} className="link text-center">
            {t('login.sso')}
          </Link>
        )}
      </form>
    </PublicLayout>
  )
}
