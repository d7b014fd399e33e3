import type { User } from '#shared/doctypes/user.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { updateDoc } from '#web/lib/api/api.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { useDoc } from '#web/lib/api/frappe.tsx'
import { setDark, useTheme } from '#web/lib/browser/theme.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { useSingleKeys } from '#web/lib/browser/use-single-keys.ts'
import { timeZoneChoices } from '#web/lib/i18n/time-zone-choices.ts'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { Checkbox } from '#web/ui/form/checkbox.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { languageChoices } from './locale-choices.ts'
import { tSettings } from './settings-messages.ts'

const browserZone = new Intl.DateTimeFormat().resolvedOptions().timeZone

function showFailure(error: unknown): void {
  showToast({ title: tSettings('preferences.failed'), description: fullMessage(toApiError(error)), variant: 'danger' })
}

/** Language, time zone, theme and shortcuts. Each change is saved immediately and reverted on a denial. */
export function PreferencesCard({ user }: { user: User }) {
  const { reload } = useDoc('User', user.name)
  const { dark } = useTheme()
  const keys = useSingleKeys()

  const save = async (change: Partial<Pick<User, 'language' | 'time_zone'>>) => {
    await reload({ ...user, ...change })
    try {
      await reload(await updateDoc<User>('User', user.name, change))
      showToast({
        title: tSettings('preferences.saved'),
        description: tSettings('preferences.reload_hint'),
        variant: 'success',
        action: { label: tSettings('preferences.reload'), onClick: () => location.reload() },
      })
    } catch (error) {
      await reload(user)
      showFailure(error)
    }
  }

  return (
    <Card>
      <CardHead title={tSettings('preferences.title')} />
      <CardBody className="grid gap-4 md:grid-cols-2">
        <Field label={tSettings('preferences.language')}>
          <Select
            name="language"
            value={user.language ?? 'en'}
            onChange={(event) => void save({ language: event.target.value })}
          >
            {languageChoices(user.language).map((choice) => (
              <option key={choice.value} value={choice.value} lang={choice.value} translate="no">
                {choice.label}
              </option>
            ))}
          </Select>
        </Field>
        <Field label={tSettings('preferences.time_zone')}>
          <Select
            name="time_zone"
            value={user.time_zone ?? ''}
            onChange={(event) => void save({ time_zone: event.target.value || null })}
          >
            <option value="">{tSettings('preferences.browser_zone', { zone: browserZone })}</option>
            {timeZoneChoices(user.time_zone).map((choice) => (
              <option key={choice.value} value={choice.value} translate="no">
                {choice.label}
              </option>
            ))}
          </Select>
        </Field>
        <Field label={tSettings('preferences.theme')} hint={tSettings('preferences.theme_hint')}>
          <Select value={dark ? 'dark' : 'light'} onChange={(event) => setDark(event.target.value === 'dark')}>
            <option value="light">{tSettings('preferences.light')}</option>
            <option value="dark">{tSettings('preferences.dark')}</option>
          </Select>
        </Field>
        <Checkbox
          className="md:mt-7"
          label={tSettings('preferences.shortcuts')}
          hint={tSettings('preferences.shortcuts_hint')}
          checked={keys.on}
          onChange={(event) => {
            keys.set(event.target.checked).catch(showFailure)
          }}
        />
      </CardBody>
    </Card>
  )
}
