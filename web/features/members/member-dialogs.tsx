import { call, deleteDoc, runAction } from '#web/lib/api/api.ts'
import { useCount } from '#web/lib/api/frappe.tsx'
import { useSession } from '#web/lib/session/session.tsx'
import { showToast } from '#web/lib/browser/toasts.ts'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import { tMember } from './member-messages.ts'
import { usePasswordCheck } from '#web/documents/actions/password-check.tsx'
import { useAttempt } from '#web/documents/actions/use-attempt.ts'

/** The member a dialog is about. */
export interface MemberSubject {
  /** Name of the member row. */
  row: string
  /** The account's email. */
  user: string
  /** Display name. */
  name: string
}

interface DialogProps {
  member: MemberSubject
  onClose: () => void
  onDone?: () => void
}

/** Slug and title of the current organization. */
function useCurrent(): { slug: string; title: string } {
  const { organization } = useSession()
  return { slug: organization?.name ?? '', title: organization?.title ?? '' }
}

/** Confirms removing a member: lists what is lost, with counts, and asks to type the email. */
export function RemoveMember({ member, onClose, onDone }: DialogProps) {
  const { title } = useCurrent()
  const { failure, attempt } = useAttempt()
  const mine = ['user', '=', member.user] as const
  const counts = {
    'remove.sites': useCount('Site', {
      filters: [
        ['owner', '=', member.user],
        ['status', '!=', 'Archived'],
      ],
    }),
    'remove.shares': useCount('DocShare', { filters: [mine, ['share_doctype', '=', 'Site']] }),
    'remove.tokens': useCount('API Token', { filters: [mine, ['enabled', '=', 1]] }),
    'remove.invitations': useCount('Member Invite', {
      filters: [
        ['invited_by', '=', member.user],
        ['status', '=', 'pending'],
      ],
    }),
  } as const
  const lines = Object.entries(counts).flatMap(([key, { data }]) =>
    data ? [tMember(key as keyof typeof counts, { count: data })] : [],
  )
  const counting = Object.values(counts).some(({ data, error }) => data === undefined && !error)
  return (
    <AlertDialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={tMember('remove.title', { name: member.name, organization: title })}
      confirmLabel={tMember('remove.confirm')}
      confirmName={member.user}
      error={failure}
      onConfirm={() =>
        attempt(async () => {
          await deleteDoc('Organization Member', member.row)
          onClose()
          showToast({ title: tMember('remove.done', { name: member.name }), variant: 'success' })
          onDone?.()
        })
      }
    >
      <p>{tMember('remove.access')}</p>
      {counting ? <p className="mt-2">{tMember('remove.counting')}</p> : null}
      {!counting && lines.length > 0 ? (
        <ul className="mt-2 list-disc pl-5">
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      ) : null}
    </AlertDialog>
  )
}

/** Confirms transferring the organization; the server requires the password. */
export function TransferOwnershipDialog({ member, onClose, onDone }: DialogProps) {
  const { slug, title } = useCurrent()
  const { refresh } = useSession()
  const { failure, attempt } = useAttempt()
  const { checked, dialog } = usePasswordCheck()
  return (
    <AlertDialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={tMember('owner.title', { name: member.name, organization: title })}
      confirmLabel={tMember('owner.confirm')}
      error={failure}
      onConfirm={() =>
        attempt(async () => {
          const done = await checked(() =>
            runAction<{ owner: string }>('Organization', slug, 'transfer_ownership', { new_owner: member.user }),
          )
          if (!done) return
          onClose()
          showToast({ title: tMember('owner.done', { name: member.name }), variant: 'success' })
          onDone?.()
          await refresh()
        })
      }
    >
      <p>{tMember('owner.text')}</p>
      {dialog}
    </AlertDialog>
  )
}

/** Confirms leaving the organization. Afterwards the app reloads, to clear all data of the organization. */
export function LeaveOrganization({ onClose }: { onClose: () => void }) {
  const { slug, title } = useCurrent()
  const { failure, attempt } = useAttempt()
  return (
    <AlertDialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={tMember('leave.title', { organization: title })}
      confirmLabel={tMember('leave.confirm')}
      confirmName={slug}
      error={failure}
      onConfirm={() =>
        attempt(async () => {
          await call('easydash.api.account.leave_organization', { organization: slug })
          location.assign('/web/')
        })
      }
    >
      <p>{tMember('leave.text')}</p>
    </AlertDialog>
  )
}
