import { methodCurl } from '#web/documents/actions/copy-as.ts'
import { copyCommand } from '#web/documents/actions/copy-command.ts'
import { CopyMenu } from '#web/documents/actions/copy-menu.tsx'
import { platformMethod } from './methods.ts'

/** The ⋯ menu next to the button of a platform admin's action: copies it as a command. `action` is the action's name. */
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
  return (
    <CopyMenu
      action={action}
      onCopy={() => void copyCommand(methodCurl(platformMethod(method), params, location.origin))}
    />
  )
}
