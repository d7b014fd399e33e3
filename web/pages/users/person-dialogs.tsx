import { LeaveOrganization, TransferOwnershipDialog, RemoveMember } from '#web/features/members/member-dialogs.tsx'
import { usePasswordCheck } from '#web/documents/actions/password-check.tsx'
import { useAttempt } from '#web/documents/actions/use-attempt.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { createDoc, runAction } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { passwordLink } from '#shared/responses/members.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import { Button } from '#web/ui/button.tsx'
import { CopyField } from '#web/ui/copy-button.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { t } from './messages.ts'
import type { Person } from './people.ts'

/** What a dialog asks about. */
export type Asked = 'remove' | 'owner' | 'leave' | 'revoke' | 'new_password'

/** Dialogs that show a link, with their title and hint. */
const linkTexts = {
  link: ['act.link_title', 'act.link_hint'],
  password: ['act.password_title', 'act.password_hint'],
  new_password: ['act.password_title', 'act.new_password_hint'],
} as const

/** The open dialog. */
export type Open = { dialog: Asked; person: Person } | { shows: keyof typeof linkTexts; person: Person; link: string }

interface PersonDialogProps {
  open: Open
  onClose: () => void
  onDone: () => void
  onLink: (shown: Open) => void
}

/** The open dialog of a person. */
export function PersonDialog({ open, onClose, onDone, onLink }: PersonDialogProps) {
  const { person } = open
  const member = { row: person.name, user: person.user, name: person.member }
  if ('shows' in open) return <LinkDialog {...open} onClose={onClose} />
  if (open.dialog === 'remove') return <RemoveMember member={member} onClose={onClose} onDone={onDone} />
  if (open.dialog === 'owner') return <TransferOwnershipDialog member={member} onClose={onClose} onDone={onDone} />
  if (open.dialog === 'leave') return <LeaveOrganization onClose={onClose} />
  if (open.dialog === 'revoke') return <RevokeInvitation person={person} onClose={onClose} onDone={onDone} />
  return (
    <NewPasswordLink
      person={person}
      onClose={onClose}
      onLink={(link) => onLink({ shows: 'new_password', person, link })}
    />
  )
}

/** A link, shown this one time. */
function LinkDialog({ shows, person, link, onClose }: Extract<Open, { link: string }> & { onClose: () => void }) {
  const [title, hint] = linkTexts[shows]
  return (
    <Dialog
      open
      onOpenChange={(next) => {
        if (!next) onClose()
      }}
      title={t(title)}
      description={t(hint, { user: person.user })}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t('act.done')}
        </Button>
      }
    >
      <CopyField value={link} label={t('act.copy_link')} />
    </Dialog>
  )
}

/** Says what a link for a new password does before there is one; the server requires the admin's own password. */
function NewPasswordLink(props: { person: Person; onClose: () => void; onLink: (link: string) => void }) {
  const { person, onClose, onLink } = props
  const { failure, attempt } = useAttempt()
  const { checked, dialog } = usePasswordCheck()
  return (
    <AlertDialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={t('act.new_password_title', { member: person.member })}
      confirmLabel={t('act.new_password_confirm')}
      danger={false}
      error={failure}
      onConfirm={() =>
        attempt(async () => {
          const made = await checked(async () =>
            checkedResult(passwordLink, await runAction('Organization Member', person.name, 'password_link')),
          )
          if (made) onLink(made.link)
        })
      }
    >
      <p>{t('act.new_password_text')}</p>
      {dialog}
    </AlertDialog>
  )
}

function RevokeInvitation({ person, onClose, onDone }: { person: Person; onClose: () => void; onDone: () => void }) {
  const slug = useSession().organization?.name
  const { failure, attempt } = useAttempt()
  // The old link stays invalid; the new email has a new one.
  const inviteAgain = async () => {
    try {
      const { sent } = await createDoc<{ sent?: unknown }>('Member Invite', {
        user: person.user,
        organization_role: person.organization_role,
        organization: slug,
      })
      const title = t('act.invited_again', { user: person.user })
      showToast(
        typeof sent === 'string'
          ? { title, variant: 'success' }
          : { title, description: t('act.invited_unmailed'), variant: 'info' },
      )
      onDone()
    } catch (error) {
      showToast({ title: t('act.resend_failed'), description: fullMessage(toApiError(error)), variant: 'danger' })
    }
  }
  return (
    <AlertDialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={t('act.revoke_title', { user: person.user })}
      confirmLabel={t('act.revoke_confirm')}
      error={failure}
      onConfirm={() =>
        attempt(async () => {
          await runAction('Member Invite', person.name, 'revoke')
          onClose()
          showToast({
            title: t('act.revoked', { user: person.user }),
            variant: 'success',
            action: { label: t('act.invite_again'), onClick: () => void inviteAgain(), lasting: true },
          })
          onDone()
        })
      }
    >
      {t('act.revoke_text')}
    </AlertDialog>
  )
}
