import type { ComponentProps } from 'react'
import { fetched } from '#web/lib/code.ts'
import { useOpenWithCode } from '#web/lib/open-code.ts'

const Panel = fetched(() => import('./dialog-panel.tsx').then((module) => module.DialogPanel))

/**
 * A dialog with title, content and actions. Esc and a click outside close it; focus returns to its opener. Its code comes
 * when the first one opens.
 */
export function Dialog(props: ComponentProps<typeof Panel>) {
  // Most are drawn only while they are open.
  return useOpenWithCode([Panel], props.open, props.onOpenChange, { retry: false }) && <Panel {...props} />
}
