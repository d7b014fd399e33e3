import type { User } from '#shared/doctypes/user.ts'
import { secret } from '#shared/fields.ts'
import { DocForm, FormFailure } from '#web/documents/form/form.tsx'
import { useForm } from '#web/documents/form/use-form.ts'
import { ApiError } from '#web/lib/api/api-error.ts'
import { call } from '#web/lib/api/api.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { Checkbox } from '#web/ui/form/checkbox.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { NewPasswordField, newPasswordProblem } from '#web/features/accounts/new-password-field.tsx'
import { PasswordInput } from '#web/ui/form/password-input.tsx'
import { tSettings } from './settings-messages.ts'

const fields = { old_password: secret({ reqd: true }), new_password: secret({ reqd: true }) }
const names = Object.keys(fields)

/** Changes the password, which requires the old one. All other sessions end; then `onChanged` is called. */
export function PasswordCard({ user, onChanged }: { user: User; onChanged: () => void }) {
  const about = [user.first_name, user.last_name ?? '', user.name]
  const missing = { old_password: tSettings('password.old_missing'), new_password: t('form.password_missing') }
  const control = useForm(
    { fields, names, missing },
    {
      // Passwords are sent as entered; other fields are trimmed.
      save: async (_payload, { old_password, new_password }) => {
        const weak = await newPasswordProblem(String(new_password), about)
        if (weak !== null) throw new ApiError(weak, { field: 'new_password' })
        await call('frappe.core.doctype.user.user.update_password', {
          old_password,
          new_password,
          logout_all_sessions: 1,
        })
        control.reset()
        showToast({
          title: tSettings('password.done'),
          description: tSettings('password.done_hint'),
          variant: 'success',
        })
        onChanged()
      },
    },
  )
  const { values, errors, set } = control

  return (
    <Card>
      <CardHead title={tSettings('password.title')} />
      <CardBody>
        <DocForm control={control} label={tSettings('password.title')} className="grid max-w-md gap-4">
          <FormFailure control={control} />
          {/* Tells password managers the account. */}
          <input type="text" name="username" autoComplete="username" defaultValue={user.name} hidden readOnly />
          <Field label={tSettings('password.old')} error={errors['old_password']} required>
            <PasswordInput
              name="old_password"
              autoComplete="current-password"
              value={String(values['old_password'] ?? '')}
              onChange={(event) => set('old_password', event.target.value)}
            />
          </Field>
          <NewPasswordField
            label={tSettings('password.new')}
            name="new_password"
            value={String(values['new_password'] ?? '')}
            about={about}
            error={errors['new_password'] ?? null}
            onChange={(value) => set('new_password', value)}
          />
          <Checkbox
            name="logout_all_sessions"
            label={tSettings('password.logout_all')}
            hint={tSettings('password.logout_all_hint')}
            checked
            disabled
            readOnly
          />
          <Button type="submit" variant="primary" busy={control.busy} className="justify-self-start">
            {tSettings('password.save')}
          </Button>
        </DocForm>
      </CardBody>
    </Card>
  )
}
