import { SquareTerminal } from 'lucide-react'
import { IconButton } from '#web/ui/icon-button.tsx'
import { Tooltip } from '#web/ui/overlay/tooltip.tsx'
import type { Command } from '../actions/copy-as.ts'
import { copyCommand } from '../actions/copy-command.ts'
import { t as actionText } from '../actions/messages.ts'

/** Copies the API request of the list (`copy-as.ts`). Same height as the selects beside it. */
export function CopyListButton({ command }: { command: () => Command }) {
  return (
    <Tooltip content={actionText('copy.button')}>
      <IconButton
        label={actionText('copy.button')}
        className="size-8! border border-border bg-surface shadow-xs max-md:size-10!"
        onClick={() => void copyCommand(command())}
      >
        <SquareTerminal size={16} strokeWidth={1.75} aria-hidden="true" />
      </IconButton>
    </Tooltip>
  )
}
