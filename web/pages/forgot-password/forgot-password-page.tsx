import { useState, type FormEvent } from 'react'
import { Link } from '#web/lib/routing/router.tsx'
import { toApiError } from '#web/lib/api/api-error.ts'
import { call } from '#web/lib/api/api.ts'
import { boot } from '#web/lib/session/boot.ts'
import { emailProblem, focusFirstError, textOf, type FormErrors } from '#web/ui/form/form-errors.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { PublicLayout } from '#web/features/public/public-layout.tsx'
import { tForgot } from './messages.ts'

/** Requests a link to set a new password. The response is the same for every email. */
export function ForgotPasswordPage() {
  const [busy, setBusy] = useState(false)
  const [errors, setErrors] = useState<FormErrors>({})
  const [sentTo, setSentTo] = useState<string | null>(null)
  const { mail_server } = boot()

  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    if (busy) return
    const form = event.currentTarget
    const email = textOf(new FormData(form), 'email').trim()
    const problem = emailProblem(form)
    if (problem) {
      setErrors({ email: problem })
      focusFirstError(form)
      return
    }
    setBusy(true)
    setErrors({})
    try {
      await call(
        'frappe.core.doctype.user.user.reset_password',
        { user: email },
        { failure: 'There was an error sending password reset email.' },
      )
      setSentTo(email)
    } catch (error) {
      setErrors({ '': fullMessage(toApiError(error)) })
    } finally {
      setBusy(false)
    }
  }

  const back = (
    <Link to="/login" className="link">
      {t('common.back_to_login')}
    </Link>
  )
  if (sentTo !== null) {
    return (
      <PublicLayout
        title={tForgot(mail_server ? 'forgot.sent_title' : 'forgot.kept_title')}
        lead={tForgot(mail_server ? 'forgot.sent_lead' : 'forgot.kept_sent', { email: sentTo })}
      >
        <p className="mb-6 text-table text-muted">{tForgot(mail_server ? 'forgot.sent_hint' : 'forgot.kept_hint')}</p>
        <ButtonLink to="/login" size="xl" block>
          {t('common.back_to_login')}
        </ButtonLink>
      </PublicLayout>
    )
  }
  return (
    <PublicLayout
      title={tForgot('forgot.title')}
      lead={tForgot(mail_server ? 'forgot.lead' : 'forgot.kept_lead')}
      foot={back}
    >
      <form noValidate className="grid gap-4" onSubmit={(event) => void submit(event)}>
        {errors[''] && <Notice tone="bad">{errors['']}</Notice>}
        <Field label={t('form.email')} error={errors['email']} required>
          <Input
            large
            type="email"
            name="email"
            autoComplete="username"
            inputMode="email"
            autoCapitalize="off"
            spellCheck={false}
          />
        </Field>
        <Button type="submit" variant="primary" size="xl" block busy={busy}>
          {mail_server
            ? tForgot(busy ? 'forgot.busy' : 'forgot.submit')
            : tForgot(busy ? 'forgot.creating' : 'forgot.create')}
        </Button>
      </form>
    </PublicLayout>
  )
}
