import type { User } from '#shared/doctypes/user.ts'
import { mailChoiceOf, notificationMailChoices, notificationMailPreference } from '#shared/rules/notification-mails.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { updateDoc } from '#web/lib/api/api.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { useDoc } from '#web/lib/api/frappe.tsx'
import { boot } from '#web/lib/session/boot.ts'
import { usePreferences } from '#web/lib/browser/use-preference.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { Checkbox } from '#web/ui/form/checkbox.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { tSettings } from './settings-messages.ts'

function showFailure(error: unknown): void {
  showToast({ title: tSettings('preferences.failed'), description: fullMessage(toApiError(error)), variant: 'danger' })
}

/** Which emails the user gets; those about account security can't be turned off. */
export function MailsCard({ user }: { user: User }) {
  const { reload } = useDoc('User', user.name)
  const { values, loaded, write } = usePreferences()
  const choose = async (wanted: 0 | 1) => {
    await reload({ ...user, accept_newsletter: wanted })
    try {
      await reload(await updateDoc<User>('User', user.name, { accept_newsletter: wanted }))
    } catch (error) {
      await reload(user)
      showFailure(error)
    }
  }
  return (
    <Card>
      <CardHead title={tSettings('mails.title')} />
      <CardBody className="grid gap-3">
        <Checkbox
          label={tSettings('mails.security')}
          hint={tSettings(boot().mail_server ? 'mails.security_hint' : 'mails.security_kept_hint')}
          checked
          disabled
          readOnly
        />
        <Field label={tSettings('mails.notifications')} hint={tSettings('mails.notifications_hint')}>
          <Select
            name="notification_mails"
            className="max-w-xs"
            value={mailChoiceOf(values)}
            disabled={!loaded}
            onChange={(event) => {
              write({ ...values, [notificationMailPreference]: event.target.value }).catch(showFailure)
            }}
          >
            {notificationMailChoices.map((choice) => (
              <option key={choice} value={choice}>
                {tSettings(`mails.notifications_${choice}`)}
              </option>
            ))}
          </Select>
        </Field>
        <Checkbox
          name="accept_newsletter"
          label={tSettings('mails.newsletter')}
          hint={tSettings('mails.newsletter_hint')}
          checked={user.accept_newsletter === 1}
          onChange={(event) => void choose(event.target.checked ? 1 : 0)}
        />
      </CardBody>
    </Card>
  )
}
