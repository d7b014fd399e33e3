import type { ComponentProps } from 'react'
import { fetched } from '#web/lib/code.ts'
import { openWithCode } from '#web/lib/open-code.ts'

const Dialog = fetched(() => import('./action-dialog.tsx').then((module) => module.ActionDialog))

type DialogProps = ComponentProps<typeof Dialog>

/** Calls `ask` when the dialog of an action can be drawn; when its code does not come, a toast says so. */
export function whenAskable(ask: () => void): void {
  void openWithCode([Dialog], ask)
}

/** The dialog of an action, while there is one to ask about; `whenAskable` comes first. */
export function ActionQuestion({
  pending,
  ...props
}: Omit<DialogProps, 'pending'> & { pending: DialogProps['pending'] | null }) {
  return pending && <Dialog key={pending.name} pending={pending} {...props} />
}
