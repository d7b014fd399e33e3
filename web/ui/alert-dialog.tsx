import type { ComponentProps } from 'react'
import { fetched } from '#web/lib/code.ts'
import { useOpenWithCode } from '#web/lib/open-code.ts'

const Panel = fetched(() => import('./alert-dialog-panel.tsx').then((module) => module.AlertDialogPanel))

/**
 * Asks before something that cannot be taken back. With `confirmName` the exact name must be typed. The dialog closes
 * itself after `onConfirm` resolves; when it throws, `error` of the caller stays inside it. Its code comes when the first one
 * opens.
 */
export function AlertDialog(props: ComponentProps<typeof Panel>) {
  // Most are drawn only while they are open.
  return useOpenWithCode([Panel], props.open, props.onOpenChange, { retry: false }) && <Panel {...props} />
}
