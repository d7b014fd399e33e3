import type { ComponentProps } from 'react'
import { ActionDialog } from './action-dialog.tsx'

type DialogProps = ComponentProps<typeof ActionDialog>

/** The dialog of an action, while there is one to ask about. */
export function ActionQuestion({
  pending,
  ...props
}: Omit<DialogProps, 'pending'> & { pending: DialogProps['pending'] | null }) {
  return pending && <ActionDialog key={pending.name} pending={pending} {...props} />
}
