import { SquareTerminal } from 'lucide-react'
import type { Doctype } from '#shared/doctype.ts'
import { IconButton } from '#web/ui/icon-button.tsx'
import { Tooltip } from '#web/ui/tooltip.tsx'
import { listCurl } from './copy-as.ts'
import { copyCommand } from './copy-command.ts'
import { lt } from './list-messages.ts'
import type { ListRequest } from './list-query.ts'

/** Copies the API request that gives what the list shows. */
export function CopyListButton({ type, request }: { type: Doctype; request: ListRequest }) {
  return (
    <Tooltip content={lt('copy.button')}>
      <IconButton
        label={lt('copy.button')}
        className="size-8! border border-border bg-surface shadow-xs max-md:hidden"
        onClick={() => void copyCommand(listCurl(type, request, location.origin))}
      >
        <SquareTerminal size={16} strokeWidth={1.75} aria-hidden="true" />
      </IconButton>
    </Tooltip>
  )
}
