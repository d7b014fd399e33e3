import { SquareTerminal } from 'lucide-react'
import { methodCurl } from '#web/documents/actions/copy-as.ts'
import { copyCommand } from '#web/documents/actions/copy-command.ts'
import { t as actionText } from '#web/documents/actions/messages.ts'
import { IconButton } from '#web/ui/icon-button.tsx'
import { Tooltip } from '#web/ui/overlay/tooltip.tsx'
import { platformMethod } from './methods.ts'

/** Copies a platform admin's action as a command, next to its button. `action` is the action's name. */
export function CopyMethodButton({
  action,
  method,
  params,
}: {
  action: string
  method: string
  /** The current form values. */
  params: Readonly<Record<string, unknown>>
}) {
  const label = actionText('copy.action', { action })
  return (
    <Tooltip content={label}>
      <IconButton
        label={label}
        onClick={() => void copyCommand(methodCurl(platformMethod(method), params, location.origin))}
      >
        <SquareTerminal size={16} strokeWidth={1.75} aria-hidden="true" />
      </IconButton>
    </Tooltip>
  )
}
