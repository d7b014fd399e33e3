import type { User } from '#shared/doctypes/user.ts'
import { UserType } from '#shared/doctypes/user.ts'
import { EditForm } from '#web/documents/edit-form.tsx'
import { useSession } from '#web/lib/session.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { FactList } from '#web/ui/facts.tsx'
import { languageChoices, timeZoneChoices } from './locale-choices.ts'
import { t } from './messages.ts'
import { PictureCard } from './picture-card.tsx'

/** Choices of a free field; what somebody stored by another way stays one of them. */
function genderChoices(stored: string | null) {
  const offered = (['female', 'male', 'non_binary', 'other', 'unsaid'] as const).map((key) => t(`gender.${key}`))
  const all = stored && !offered.includes(stored) ? [...offered, stored] : offered
  return all.map((value) => ({ value, label: value }))
}

/** What a person says of themselves; of others what one may know. */
export function PersonalInfoTab({ user, self }: { user: User; self: boolean }) {
  return self ? <OwnInfo user={user} /> : <OthersInfo user={user} />
}

function OwnInfo({ user }: { user: User }) {
  const { refresh } = useSession()
  return (
    <div className="grid gap-4">
      <PictureCard user={user} />
      <EditForm
        key={user.name}
        type={UserType}
        doc={{ ...user, doctype: 'User' }}
        label={t('personal.form')}
        savedTitle={t('personal.saved')}
        onSaved={() => void refresh()}
        sections={[
          { title: t('personal.name'), names: ['first_name', 'last_name', 'username', 'email'] },
          { title: t('personal.about'), names: ['gender', 'birth_date', 'location', 'interest', 'bio'] },
          { title: t('personal.contact'), names: ['phone', 'mobile_no'] },
          { title: t('personal.locale'), hint: t('personal.locale_hint'), names: ['language', 'time_zone'] },
        ]}
        fields={{
          first_name: { autoComplete: 'given-name' },
          last_name: { autoComplete: 'family-name' },
          username: { autoComplete: 'off', hint: t('personal.username_hint') },
          email: { label: t('personal.email'), hint: t('personal.email_hint') },
          gender: { choices: genderChoices(user.gender) },
          birth_date: { autoComplete: 'bday' },
          interest: { label: t('personal.interest') },
          phone: { autoComplete: 'tel' },
          mobile_no: { autoComplete: 'tel' },
          language: { label: t('personal.language'), choices: languageChoices(user.language) },
          time_zone: { label: t('personal.time_zone'), choices: timeZoneChoices(user.time_zone) },
        }}
      />
    </div>
  )
}

/** Members learn the name alone, those who run the organization the address, too; the server leaves out the rest. */
function OthersInfo({ user }: { user: User }) {
  const name = user.full_name ?? user.name
  const facts = [
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
        <FactList facts={facts} />
      </CardBody>
    </Card>
  )
}
