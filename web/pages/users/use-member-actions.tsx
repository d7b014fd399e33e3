import { useState, type ReactNode } from 'react'
import { changeRole } from '#web/features/members/change-role.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { runAction } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { boot } from '#web/lib/session/boot.ts'
import { copyText } from '#web/lib/browser/copy-text.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import type { OrganizationRole } from '#shared/doctypes/organization-member.ts'
import { invitationLink, invitedConfirmed } from '#shared/responses/invitations.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { t } from './messages.ts'
import type { Person, usePeople } from './people.ts'
import type { Asked, Open } from './person-dialogs.tsx'
import { PersonDialog } from './later-dialogs.ts'

/** Actions on a row of the list. */
export interface MemberActions {
  /** Updates optimistically; reverts on a denial. */
  changeRole: (person: Person, role: OrganizationRole) => Promise<void>
  /** Confirms an invited person who has signed up; shows the link to pass on if they have to choose a new password. */
  confirm: (person: Person) => Promise<void>
  resend: (person: Person) => Promise<void>
  /** Copies a new link to the clipboard, or shows it in a dialog. */
  copyLink: (person: Person) => Promise<void>
  ask: (dialog: Asked, person: Person) => void
  /** The open dialog; rendered by the page. */
  dialogs: ReactNode
}

/** Actions, given the lists they change. */
export function useMemberActions({ members, invitations }: ReturnType<typeof usePeople>): MemberActions {
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const both = () => void Promise.all([members.reload(), invitations.reload()])
  const attempt = async (title: string, work: () => Promise<void>) => {
    try {
      await work()
    } catch (error) {
      showToast({ title, description: fullMessage(toApiError(error)), variant: 'danger' })
    }
  }

  return {
    changeRole: (person, role) =>
      changeRole({
        row: person.name,
        name: person.member,
        from: person.organization_role,
        to: role,
        show: (shown) =>
          members.reload(
            (members.data ?? []).map((one) => (one.name === person.name ? { ...one, organization_role: shown } : one)),
          ),
        // The visible sites depend on the role.
        onDone: () => members.reload(),
      }),
    confirm: (person) =>
      attempt(t('act.confirm_failed'), async () => {
        const { link } = checkedResult(invitedConfirmed, await runAction('Member Invite', person.name, 'confirm'))
        both()
        if (link === null) showToast({ title: t('act.confirmed', { user: person.user }), variant: 'success' })
        else setOpen({ shows: 'password', person, link })
      }),
    resend: (person) =>
      attempt(t('act.resend_failed'), async () => {
        await runAction('Member Invite', person.name, 'resend')
        showToast(
          boot().mail_server
            ? { title: t('act.resent', { user: person.user }), variant: 'success' }
            : { title: t('act.renewed', { user: person.user }), description: t('invite.made_hint'), variant: 'info' },
        )
        await invitations.reload()
      }),
    copyLink: (person) =>
      attempt(t('act.copy_failed'), async () => {
        const { link } = checkedResult(invitationLink, await runAction('Member Invite', person.name, 'copy_link'))
        if (await copyText(link))
          showToast({ title: t('act.copied'), description: t('act.copied_hint'), variant: 'success' })
        else setOpen({ shows: 'link', person, link })
        await invitations.reload()
      }),
    ask: (dialog, person) => setOpen({ dialog, person }),
    dialogs: open ? <PersonDialog open={open} onClose={close} onDone={both} onLink={setOpen} /> : null,
  }
}
