import { useEffect, useState, type FormEvent } from 'react'
import { useNavigate } from 'react-router'
import { usePathParams } from '#web/lib/routing/route-match.ts'
import { Link, useSearchParams } from '#web/lib/routing/router.tsx'
import { ApiError, toApiError, unreadableMessage } from '#web/lib/api/api-error.ts'
import { call } from '#web/lib/api/api.ts'
import { boot } from '#web/lib/session/boot.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { focusFirstError, textOf, type FormErrors } from '#web/ui/form/form-errors.ts'
import { Input } from '#web/ui/form/input.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Spinner } from '#web/ui/spinner.tsx'
import { PublicLayout } from '#web/features/public/public-layout.tsx'
import { t } from '#web/lib/i18n/messages.ts'
import { tSso } from './messages.ts'
import { keepPendingLogin, loginPath, rememberedLoginKey } from './pending-login.ts'

const passwordLink = (
  <Link to="/login" className="link">
    {tSso('sso.password')}
  </Link>
)

/**
 * Asks for the login address of one's organization: its name would tell strangers which organizations exist. Who only knows their
 * email gets the address by email.
 */
export function SsoPage() {
  const navigate = useNavigate()
  const next = useSearchParams()[0].get('next')
  const [known] = useState(rememberedLoginKey)
  const [errors, setErrors] = useState<FormErrors>({})
  const [busy, setBusy] = useState(false)
  const [sentTo, setSentTo] = useState<string | null>(null)
  const { mail_server } = boot()

  const sendTo = async (user: string): Promise<void> => {
    setBusy(true)
    setErrors({})
    try {
      await call('easydash.api.login_provider.mail_address', { user })
      setSentTo(user)
    } catch (error) {
      setErrors({ '': fullMessage(toApiError(error)) })
    } finally {
      setBusy(false)
    }
  }
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const form = event.currentTarget
    const typed = textOf(new FormData(form), 'address').trim()
    const path = loginPath(typed)
    const problem =
      path === null
        ? tSso('sso.address_missing')
        : typed.includes('@') && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(typed)
          ? t('form.email_wrong')
          : null
    if (problem !== null || path === null) {
      setErrors({ address: problem ?? '' })
      focusFirstError(form)
    } else if (mail_server && typed.includes('@')) void sendTo(typed)
    else void navigate(next === null ? path : `${path}?${new URLSearchParams({ next }).toString()}`)
  }
  if (sentTo !== null)
    return (
      <PublicLayout title={tSso('sso.sent_title')} lead={tSso('sso.sent_lead', { email: sentTo })} foot={passwordLink}>
        <p className="text-table text-muted">{tSso('sso.sent_hint')}</p>
      </PublicLayout>
    )
  return (
    <PublicLayout title={tSso('sso.title')} lead={tSso('sso.lead')} foot={passwordLink}>
      <form noValidate className="grid gap-4" onSubmit={submit}>
        {errors[''] ? <Notice tone="bad">{errors['']}</Notice> : null}
        <Field
          label={tSso(mail_server ? 'sso.address_or_email' : 'sso.address')}
          hint={tSso(mail_server ? 'sso.email_hint' : 'sso.address_hint')}
          error={errors['address']}
          required
        >
          <Input
            large
            autoFocus
            name="address"
            autoComplete="url"
            autoCapitalize="off"
            spellCheck={false}
            defaultValue={known === null ? '' : `${boot().url}/web/sso/${known}`}
          />
        </Field>
        <Button type="submit" variant="primary" size="xl" block busy={busy}>
          {tSso('sso.next')}
        </Button>
      </form>
    </PublicLayout>
  )
}

/** The login address of an organization: says where it leads, and goes there when the person says so. */
export function SsoStartPage() {
  const key = usePathParams()['key'] ?? ''
  const next = useSearchParams()[0].get('next')
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const [found, setFound] = useState<{ host: string } | ApiError | null>(null)

  useEffect(() => {
    if (found !== null) return
    let stopped = false
    call<{ host: string }>('easydash.api.login_provider.show', { key }).then(
      (shown) => !stopped && setFound(shown),
      (error: unknown) => !stopped && setFound(toApiError(error)),
    )
    return () => {
      stopped = true
    }
  }, [key, found])

  const go = async (): Promise<void> => {
    setBusy(true)
    setFailure(null)
    try {
      const begun = await call<{ url: string; attempt: string }>('easydash.api.login_provider.start', { key })
      if (URL.parse(begun.url)?.protocol !== 'https:') throw new ApiError(unreadableMessage)
      keepPendingLogin({ attempt: begun.attempt, key, next })
      location.assign(begun.url)
    } catch (thrown) {
      setBusy(false)
      setFailure(fullMessage(toApiError(thrown)))
    }
  }
  if (found instanceof ApiError && found.httpStatus === 404)
    return (
      <PublicLayout title={tSso('sso.unknown')} lead={fullMessage(found)} foot={passwordLink}>
        <ButtonLink to="/sso" variant="primary" size="xl" block>
          {tSso('sso.other')}
        </ButtonLink>
      </PublicLayout>
    )
  if (found instanceof ApiError)
    return (
      <PublicLayout title={tSso('sso.title')} lead={<span role="alert">{fullMessage(found)}</span>} foot={passwordLink}>
        <Button variant="primary" size="xl" block onClick={() => setFound(null)}>
          {t('common.try_again')}
        </Button>
      </PublicLayout>
    )
  return (
    <PublicLayout title={tSso('sso.title')} lead={tSso('sso.go_lead')} foot={passwordLink}>
      {found ? (
        <div className="grid gap-4">
          {failure ? <Notice tone="bad">{failure}</Notice> : null}
          <Button variant="primary" size="xl" block busy={busy} onClick={() => void go()}>
            <span className="truncate" translate="no">
              {tSso(busy ? 'sso.going' : 'sso.go', { host: found.host })}
            </span>
          </Button>
        </div>
      ) : (
        <Spinner className="size-5 text-muted" />
      )}
    </PublicLayout>
  )
}
