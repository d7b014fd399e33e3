import { keysOf } from '#shared/is-one-of.ts'
import { useRef, useState, type FormEvent } from 'react'
import type { SignUpResponse } from '#shared/responses/sign-up.ts'
import { Link } from '#web/lib/routing/router.tsx'
import { toApiError } from '#web/lib/api/api-error.ts'
import { call } from '#web/lib/api/api.ts'
import { emailProblem, focusFirstError, serverErrors, type FormErrors } from '#web/ui/form/form-errors.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { userFromCookie } from '#web/lib/session/session.tsx'
import { Button } from '#web/ui/button.tsx'
import { Checkbox } from '#web/ui/form/checkbox.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { NewPasswordField, newPasswordProblem } from '#web/features/accounts/new-password-field.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { tSignup } from './messages.ts'

const empty = {
  first_name: '',
  last_name: '',
  email: '',
  password: '',
  termsAndCondition: false,
  accept_newsletter: false,
}
type Values = typeof empty

/** Logs in, unless the address has an account with another password, which only its owner may learn. */
async function logIn(usr: string, pwd: string): Promise<void> {
  try {
    await call('login', { usr, pwd })
  } catch (error) {
    if (![401, 403].includes(toApiError(error).httpStatus)) throw error
  }
}

/** Validation error of a field; null if it is valid. */
async function check(field: keyof Values, values: Values, form: HTMLFormElement | null): Promise<string | null> {
  switch (field) {
    case 'first_name':
      return values.first_name.trim() === '' ? t('form.first_name_missing') : null
    case 'email':
      return form && emailProblem(form)
    case 'password':
      return await newPasswordProblem(values.password, aboutOf(values))
    case 'termsAndCondition':
      return values.termsAndCondition ? null : tSignup('signup.terms_missing')
    case 'last_name':
    case 'accept_newsletter':
      return null
  }
}

const aboutOf = (values: Values): string[] => [values.first_name, values.last_name, values.email]
const fields = keysOf(empty)

/** The signup form. With a setup token the new account is signed in immediately; otherwise `onSent` gets the email. */
export function SignupForm({
  setupToken,
  invitation,
  orgSku,
  onSent,
}: {
  setupToken: string | null
  /** The account can only be created for the invited email. */
  invitation: { token: string; email: string } | null
  orgSku: string | null
  onSent: (email: string, mailed: boolean) => void
}) {
  const form = useRef<HTMLFormElement>(null)
  const [values, setValues] = useState({ ...empty, email: invitation?.email ?? '' })
  const [errors, setErrors] = useState<FormErrors>({})
  const [busy, setBusy] = useState(false)

  const put = (field: keyof Values, error: string | null): void =>
    setErrors((before) => {
      const others = Object.entries(before).filter(([name]) => name !== field)
      return Object.fromEntries(error ? [...others, [field, error]] : others)
    })
  const change = <K extends keyof Values>(field: K, value: Values[K]): void => {
    const next = { ...values, [field]: value }
    setValues(next)
    // Once shown, an error is updated while typing.
    if (errors[field]) void check(field, next, form.current).then((error) => put(field, error))
  }
  const blur = (field: keyof Values): void => {
    if (values[field] !== '') void check(field, values, form.current).then((error) => put(field, error))
  }

  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    if (busy) return
    const target = event.currentTarget
    setBusy(true)
    const checked = await Promise.all(fields.map(async (field) => [field, await check(field, values, target)] as const))
    const wrong = Object.fromEntries(checked.filter((entry): entry is [keyof Values, string] => entry[1] !== null))
    if (Object.keys(wrong).length > 0) {
      setErrors(wrong)
      setBusy(false)
      focusFirstError(target)
      return
    }
    setErrors({})
    try {
      const { mail_server } = await call<SignUpResponse>('easydash.api.account.sign_up', {
        first_name: values.first_name.trim(),
        last_name: values.last_name.trim(),
        email: values.email.trim(),
        password: values.password,
        termsAndCondition: values.termsAndCondition,
        accept_newsletter: values.accept_newsletter,
        ...(setupToken && { setup_token: setupToken }),
        ...(invitation && { invite_token: invitation.token }),
        ...(orgSku && { org_sku: orgSku }),
      })
      // Nobody mails a link: the page that waits for a colleague is one of the account.
      if (invitation && !mail_server) await logIn(values.email.trim(), values.password)
      if (userFromCookie()) location.assign('/web/')
      else onSent(values.email.trim(), mail_server)
    } catch (error) {
      setBusy(false)
      setErrors(serverErrors(toApiError(error), fields))
      focusFirstError(target)
    }
  }

  return (
    <form ref={form} noValidate className="grid gap-4" onSubmit={(event) => void submit(event)}>
      {errors[''] && <Notice tone="bad">{errors['']}</Notice>}
      <div className="grid grid-cols-2 gap-3">
        <Field label={t('form.first_name')} error={errors['first_name']} required>
          <Input
            large
            name="first_name"
            autoComplete="given-name"
            maxLength={60}
            value={values.first_name}
            onChange={(event) => change('first_name', event.target.value)}
            onBlur={() => blur('first_name')}
          />
        </Field>
        <Field label={t('form.last_name')} error={errors['last_name']}>
          <Input
            large
            name="last_name"
            autoComplete="family-name"
            maxLength={60}
            value={values.last_name}
            onChange={(event) => change('last_name', event.target.value)}
          />
        </Field>
      </div>
      <Field
        label={t('form.email')}
        error={errors['email']}
        hint={invitation ? tSignup('signup.invited_address') : undefined}
        required
      >
        <Input
          large
          type="email"
          name="email"
          autoComplete="email"
          inputMode="email"
          autoCapitalize="off"
          spellCheck={false}
          readOnly={invitation !== null}
          value={values.email}
          onChange={(event) => change('email', event.target.value)}
          onBlur={() => blur('email')}
        />
      </Field>
      <NewPasswordField
        label={t('form.password')}
        name="password"
        value={values.password}
        about={aboutOf(values)}
        error={errors['password'] ?? null}
        onChange={(value) => change('password', value)}
      />
      <div className="grid gap-2">
        <Checkbox
          name="termsAndCondition"
          checked={values.termsAndCondition}
          error={errors['termsAndCondition'] ?? null}
          onChange={(event) => change('termsAndCondition', event.target.checked)}
          label={
            <>
              {tSignup('signup.accept')}{' '}
              <Link to="/terms" target="_blank" className="link">
                {tSignup('signup.terms')}
              </Link>
            </>
          }
        />
        <Checkbox
          name="accept_newsletter"
          checked={values.accept_newsletter}
          onChange={(event) => change('accept_newsletter', event.target.checked)}
          label={tSignup('signup.newsletter')}
        />
      </div>
      <Button type="submit" variant="primary" size="xl" block busy={busy}>
        {busy ? tSignup('signup.busy') : tSignup('signup.submit')}
      </Button>
    </form>
  )
}
