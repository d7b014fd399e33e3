import { SquareTerminal } from 'lucide-react'
import type { Doctype } from '#shared/doctype.ts'
import { copyText } from '#web/lib/copy-text.ts'
import { showToast } from '#web/lib/toasts.ts'
import { IconButton } from '#web/ui/icon-button.tsx'
import { Tooltip } from '#web/ui/tooltip.tsx'
import { listCurl } from './copy-as.ts'
import { lt } from './list-messages.ts'
import type { ListRequest } from './list-query.ts'

/** Copies the API request that gives what the list shows. */
export function CopyListButton({ type, request }: { type: Doctype; request: ListRequest }) {
  const copy = async () => {
    const done = await copyText(listCurl(type, request, location.origin))
    showToast(
      done
        ? { title: lt('copy.done'), description: lt('copy.done_hint'), variant: 'success' }
        : { title: lt('copy.refused'), variant: 'danger' },
    )
  }
  return (
    <Tooltip content={lt('copy.button')}>
      <IconButton
        label={lt('copy.button')}
        className="size-8! border border-border bg-surface shadow-xs max-md:hidden"
        onClick={() => void copy()}
      >
        <SquareTerminal size={16} strokeWidth={1.75} aria-hidden="true" />
      </IconButton>
    </Tooltip>
  )
}
