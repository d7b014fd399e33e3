import type { Site } from '#shared/doctypes/site.ts'
import { newPassword, type WordPressFacts } from '#shared/responses/wordpress.ts'
import { isWordPressLogin } from '#shared/rules/wordpress-changes.ts'
import { runAction } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { useApiForm } from '#web/ui/form/use-api-form.ts'
import { Notice } from '#web/ui/notice.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { t } from './messages.ts'
import { sortedRoles } from './sorted-roles.ts'
import type { ShownPassword } from './password-dialog.tsx'

const formId = 'add-wordpress-user'

/** Adds a user to a site's WordPress, with a generated password. */
export function AddUserDialog({
  site,
  roles,
  onClose,
  onDone,
}: {
  site: Site
  roles: WordPressFacts['roles']
  onClose: () => void
  onDone: (made: ShownPassword) => void
}) {
  const form = useApiForm({
    defaultValues: {
      login: '',
      email: '',
      role: Object.hasOwn(roles, 'editor') ? 'editor' : (Object.keys(roles)[0] ?? ''),
    },
    send: async (values) => {
      const made = checkedResult(newPassword, await runAction('Site', site.name, 'add_wordpress_user', values))
      onDone({ login: values.login, password: made.password })
    },
  })
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !form.busy) onClose()
      }}
      title={t('users.add_title')}
      description={t('users.add_hint')}
      footer={
        <>
          <Button onClick={onClose}>{t('users.close')}</Button>
          <Button type="submit" form={formId} variant="primary" busy={form.busy}>
            {t('users.add_confirm')}
          </Button>
        </>
      }
    >
      <form {...form.props} id={formId} className="grid gap-4">
        {form.failure ? <Notice tone="bad">{form.failure}</Notice> : null}
        <Field required label={t('users.login')} error={form.errorOf('login')}>
          <Input
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            {...form.register('login', { validate: (text) => isWordPressLogin(text) || t('users.login_missing') })}
          />
        </Field>
        <Field required label={t('users.email')} error={form.errorOf('email')}>
          <Input type="email" autoComplete="off" {...form.register('email', { required: t('users.email_missing') })} />
        </Field>
        <Field label={t('users.role_label')} error={form.errorOf('role')}>
          <Select {...form.register('role')}>
            {sortedRoles(roles).map(([key, name]) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          </Select>
        </Field>
      </form>
    </Dialog>
  )
}
