import { SquareTerminal } from 'lucide-react'
import { IconButton } from '#web/ui/icon-button.tsx'
import { Tooltip } from '#web/ui/tooltip.tsx'
import { copyCommand } from './copy-command.ts'
import { lt } from './list-messages.ts'

/**
 * Copies the API request that gives what the list shows (`copy-as.ts`). Lists that API tokens cannot read, those of the
 * platform admin, have none.
 */
export function CopyListButton({ command }: { command: () => string }) {
  return (
    <Tooltip content={lt('copy.button')}>
      <IconButton
        label={lt('copy.button')}
        className="size-8! border border-border bg-surface shadow-xs max-md:hidden"
        onClick={() => void copyCommand(command())}
      >
        <SquareTerminal size={16} strokeWidth={1.75} aria-hidden="true" />
      </IconButton>
    </Tooltip>
  )
}
