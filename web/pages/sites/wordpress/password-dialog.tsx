import { Button } from '#web/ui/button.tsx'
import { CopyableDetail } from '#web/ui/copyable-detail.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { t } from './messages.ts'

/** A new password and whose it is. */
export interface ShownPassword {
  readonly login: string
  readonly password: string
}

/** Shows a new password, this one time. */
export function PasswordDialog({ shown, onClose }: { shown: ShownPassword; onClose: () => void }) {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('users.password_title', { login: shown.login })}
      description={t('users.password_hint')}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t('users.close')}
        </Button>
      }
    >
      <CopyableDetail label={t('users.password')} value={shown.password} />
    </Dialog>
  )
}
