import type { User } from '#shared/doctypes/user.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { EditFields, EditFrame } from '#web/documents/form/edit-form.tsx'
import type { FormFieldOptions } from '#web/documents/form/form-field.tsx'
import { useEditForm } from '#web/documents/form/use-edit-form.ts'
import { cx } from '#web/lib/browser/cx.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { showToast } from '#web/lib/browser/toasts.ts'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { DetailList } from '#web/ui/detail-list.tsx'
import { t } from './messages.ts'
import { PictureCard } from './picture-card.tsx'

/** Choices of a free-text field; a different stored value stays selectable. */
function genderChoices(stored: string | null) {
  const offered = (['female', 'male', 'non_binary', 'other', 'unsaid'] as const).map((key) => t(`gender.${key}`))
  const all = stored && !offered.includes(stored) ? [...offered, stored] : offered
  return all.map((value) => ({ value, label: value }))
}

/** The user's own personal info as a form; of others, the visible fields. */
export function PersonalInfoTab({ user, self }: { user: User; self: boolean }) {
  return self ? <OwnInfo key={user.name} user={user} /> : <OthersInfo user={user} />
}

const names = ['first_name', 'last_name', 'username', 'email'] as const
const contact = ['location', 'phone', 'mobile_no'] as const
const about = ['gender', 'birth_date', 'interest', 'bio'] as const

function OwnInfo({ user }: { user: User }) {
  const { refresh } = useSession()
  const control = useEditForm(UserDoctype, { ...user, doctype: 'User' }, [...names, ...contact, ...about], {
    onSaved: () => {
      showToast({ title: t('personal.saved'), variant: 'success' })
      void refresh()
    },
  })
  const fields: Readonly<Record<string, FormFieldOptions>> = {
    first_name: { autoComplete: 'given-name' },
    last_name: { autoComplete: 'family-name' },
    username: { hint: t('personal.username_hint') },
    email: { label: t('personal.email'), hint: t('personal.email_hint') },
    gender: { choices: genderChoices(user.gender), none: t('gender.nothing') },
    birth_date: { autoComplete: 'bday' },
    interest: { label: t('personal.interest') },
    phone: { autoComplete: 'tel' },
    mobile_no: { label: t('personal.mobile'), autoComplete: 'tel' },
  }
  const fieldGrid = (list: readonly string[]) => (
    <CardBody
      className={cx(
        'grid items-start gap-x-6 gap-y-4 md:grid-cols-2',
        // The last field, the longest one, takes the full row if the number is odd.
        list.length % 2 === 1 && 'md:[&>:last-child]:col-span-2',
      )}
    >
      <EditFields control={control} names={list} fields={fields} />
    </CardBody>
  )
  const section = (title: string, list: readonly string[]) => (
    <Card key={title}>
      <CardHead title={title} />
      {fieldGrid(list)}
    </Card>
  )
  return (
    <div className="grid max-w-4xl gap-4">
      <PictureCard user={user} />
      <EditFrame control={control} label={t('personal.form')}>
        {section(t('personal.name'), names)}
        {section(t('personal.contact'), contact)}
        <Card>
          <details>
            <summary className="cursor-pointer rounded-card px-4 py-3">
              <h2 className="inline">{t('personal.about')}</h2>
              <span className="ml-2 text-table text-muted">{t('personal.about_hint')}</span>
            </summary>
            {fieldGrid(about)}
          </details>
        </Card>
      </EditFrame>
    </div>
  )
}

/** Members see only the name, admins and managers also the email; the server omits the rest. */
function OthersInfo({ user }: { user: User }) {
  const name = user.full_name ?? user.name
  const details = [
    { label: t('personal.full_name'), value: name },
    ...(user.email
      ? [
          {
            label: t('personal.email'),
            value: (
              <a className="link" href={`mailto:${user.email}`}>
                {user.email}
              </a>
            ),
          },
        ]
      : []),
  ]
  return (
    <Card className="max-w-xl">
      <CardHead title={t('personal.others', { name })} />
      <CardBody>
        <DetailList details={details} />
      </CardBody>
    </Card>
  )
}
