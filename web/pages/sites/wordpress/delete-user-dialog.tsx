import { useState } from 'react'
import type { WordPressUser } from '#shared/responses/wordpress.ts'
import { Field } from '#web/ui/form/field.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import { t } from './messages.ts'
import type { WordPress } from './use-wordpress.ts'

/** Asks who becomes the author of what a user wrote, then deletes the user. */
export function DeleteUserDialog({
  user: { login },
  others,
  wordpress: { change },
  onClose,
  onDone,
}: {
  user: WordPressUser
  /** Users to choose from. */
  others: readonly WordPressUser[]
  wordpress: WordPress
  onClose: () => void
  onDone: () => void
}) {
  const administrator = others.find(({ roles }) => roles.includes('administrator'))
  const [heir, setHeir] = useState((administrator ?? others[0])?.login ?? '')
  return (
    <AlertDialog
      open
      onOpenChange={onClose}
      title={t('users.delete_title', { login })}
      confirmLabel={t('users.delete_confirm')}
      onConfirm={async () => {
        await change('delete_wordpress_user', { login, reassign_to: heir }, { key: `user ${login}` })
        onDone()
      }}
    >
      <p>{t('users.delete_text')}</p>
      <Field className="mt-3" label={t('users.heir')}>
        <Select value={heir} onChange={(event) => setHeir(event.target.value)}>
          {others.map((other) => (
            <option key={other.login} value={other.login}>
              {other.login}
            </option>
          ))}
        </Select>
      </Field>
    </AlertDialog>
  )
}
