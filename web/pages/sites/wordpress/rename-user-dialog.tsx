import type { Site } from '#shared/doctypes/site.ts'
import { isPlainLogin } from '#shared/rules/wordpress-changes.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { useApiForm } from '#web/ui/form/use-api-form.ts'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { t } from './messages.ts'
import { renameUser } from './user-changes.ts'

const formId = 'rename-wordpress-user'

/** Gives a user of a site's WordPress another username. */
export function RenameUserDialog({
  site,
  login,
  onClose,
  reload,
}: {
  site: Site
  login: string
  onClose: () => void
  /** Reads the users again. */
  reload: () => Promise<unknown>
}) {
  const form = useApiForm({
    defaultValues: { new_login: '' },
    fallbackField: 'new_login',
    send: async ({ new_login }) => {
      await renameUser({ site: site.name, reload }, login, new_login)
      onClose()
    },
  })
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !form.busy) onClose()
      }}
      title={t('users.rename_title', { login })}
      description={t('users.rename_text')}
      footer={
        <>
          <Button onClick={onClose}>{t('users.close')}</Button>
          <Button type="submit" form={formId} variant="primary" busy={form.busy}>
            {t('users.rename_confirm')}
          </Button>
        </>
      }
    >
      <form {...form.props} id={formId} className="grid gap-4">
        <Field required label={t('users.new_login')} error={form.errorOf('new_login')}>
          <Input
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            {...form.register('new_login', {
              validate: (text) => isPlainLogin(text) || t('users.new_login_missing'),
            })}
          />
        </Field>
      </form>
    </Dialog>
  )
}
