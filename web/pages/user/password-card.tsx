import { useState, type FormEvent } from 'react'
import type { User } from '#shared/doctypes/user.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { call } from '#web/lib/api/api.ts'
import { focusFirstError, fullMessage, serverErrors, textOf, type FormErrors } from '#web/lib/api/form-errors.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { Checkbox } from '#web/ui/form/checkbox.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { NewPasswordField, newPasswordProblem } from '#web/ui/form/new-password-field.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { PasswordInput } from '#web/ui/form/password-input.tsx'
import { words } from './settings-messages.ts'

/** A new password by the old one. Every other session ends; `onChanged` is called then. */
export function PasswordCard({ user, onChanged }: { user: User; onChanged: () => void }) {
  const [next, setNext] = useState('')
  const [busy, setBusy] = useState(false)
  const [errors, setErrors] = useState<FormErrors>({})
  // After a change the boxes are drawn anew, empty.
  const [round, setRound] = useState(0)
  const about = [user.first_name, user.last_name ?? '', user.name]

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (busy) return
    const form = event.currentTarget
    const old = textOf(new FormData(form), 'old_password')
    setBusy(true)
    const weak = await newPasswordProblem(next, about)
    const found = {
      ...(old === '' && { old_password: words('password.old_missing') }),
      ...(weak && { new_password: weak }),
    }
    setErrors(found)
    if (Object.keys(found).length > 0) {
      setBusy(false)
      focusFirstError(form)
      return
    }
    try {
      await call('frappe.core.doctype.user.user.update_password', {
        old_password: old,
        new_password: next,
        logout_all_sessions: 1,
      })
      setNext('')
      setRound(round + 1)
      showToast({ title: words('password.done'), description: words('password.done_hint'), variant: 'success' })
      onChanged()
    } catch (error) {
      const failure = toApiError(error)
      const fields = serverErrors(failure, ['old_password', 'new_password'])
      setErrors(fields[''] ? { '': fullMessage(failure) } : fields)
      focusFirstError(form)
    } finally {
      setBusy(false)
    }
  }

  return (
    <Card>
      <CardHead title={words('password.title')} />
      <CardBody>
        <form
          key={round}
          noValidate
          aria-label={words('password.title')}
          className="grid max-w-md gap-4"
          onSubmit={(event) => void submit(event)}
        >
          {errors[''] ? <Notice tone="bad">{errors['']}</Notice> : null}
          {/* Password managers want to know whose password this is. */}
          <input type="text" name="username" autoComplete="username" defaultValue={user.name} hidden readOnly />
          <Field label={words('password.old')} error={errors['old_password']} required>
            <PasswordInput name="old_password" autoComplete="current-password" />
          </Field>
          <NewPasswordField
            label={words('password.new')}
            name="new_password"
            value={next}
            about={about}
            error={errors['new_password'] ?? null}
            onChange={setNext}
          />
          <Checkbox
            name="logout_all_sessions"
            label={words('password.logout_all')}
            hint={words('password.logout_all_hint')}
            checked
            disabled
            readOnly
          />
          <Button type="submit" variant="primary" busy={busy} className="justify-self-start">
            {words('password.save')}
          </Button>
        </form>
      </CardBody>
    </Card>
  )
}
