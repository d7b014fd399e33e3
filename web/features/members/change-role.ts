import type { OrganizationRole } from '#shared/doctypes/organization-member.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { updateDoc } from '#web/lib/api/api.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { undoButton } from '#web/documents/actions/undo-button.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { tMember } from './member-messages.ts'
import { roleLabel } from './role-label.ts'

/** A pending role change of a member. */
export interface RoleChange {
  /** Name of the member row. */
  readonly row: string
  /** Display name. */
  readonly name: string
  readonly from: OrganizationRole
  readonly to: OrganizationRole
  /** Shows a role optimistically, or the previous one after a denial. */
  readonly show: (role: OrganizationRole) => Promise<void>
  /** Refetches data that depends on the role. */
  readonly onDone?: () => Promise<void>
}

/** Changes a member's role optimistically and offers undo in a toast. */
export async function changeRole(change: RoleChange, undoable = true): Promise<void> {
  const { row, name, from, to, show, onDone } = change
  await show(to)
  try {
    await updateDoc('Organization Member', row, { organization_role: to })
  } catch (error) {
    await show(from)
    showToast({ title: tMember('role.failed'), description: fullMessage(toApiError(error)), variant: 'danger' })
    return
  }
  const back = () => changeRole({ ...change, from: to, to: from }, false)
  showToast({
    title: tMember('role.changed', { name, role: roleLabel(to) }),
    variant: 'success',
    ...(undoable && { action: undoButton({ undo: back }) }),
  })
  await onDone?.()
}
