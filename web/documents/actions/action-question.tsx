import type { ComponentProps } from 'react'
import { ActionDialog } from '../later-forms.tsx'

type DialogProps = ComponentProps<typeof ActionDialog>

/** The dialog of the pending action, if any. */
export function ActionQuestion({
  pending,
  ...props
}: Omit<DialogProps, 'pending'> & { pending: DialogProps['pending'] | null }) {
  return pending && <ActionDialog key={pending.name} pending={pending} {...props} />
}
