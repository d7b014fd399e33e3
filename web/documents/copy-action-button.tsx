import { SquareTerminal } from 'lucide-react'
import type { Action, AnyDoc, Doctype } from '#shared/doctype.ts'
import { copyText } from '#web/lib/copy-text.ts'
import { Button } from '#web/ui/button.tsx'
import { useState } from 'react'
import { actionCurl, hasCommand } from './copy-as.ts'
import { lt } from './list-messages.ts'

/** Copies the API call an action stands for; nothing for actions that API tokens never run. */
export function CopyActionButton({
  type,
  doc,
  name,
  action,
  args,
}: {
  type: Doctype
  doc: AnyDoc
  name: string
  action: Action
  /** As they stand in the dialog now. */
  args: () => Readonly<Record<string, unknown>>
}) {
  const [said, setSaid] = useState<string | null>(null)
  if (!hasCommand(type, action)) return null
  const copy = async () => {
    const done = await copyText(actionCurl(type, doc.name, name, args(), location.origin))
    setSaid(lt(done ? 'copy.done' : 'copy.refused'))
  }
  return (
    <span className="mr-auto inline-flex items-center gap-2">
      <Button size="sm" variant="ghost" className="-ml-2 text-muted" onClick={() => void copy()}>
        <SquareTerminal size={14} strokeWidth={1.75} aria-hidden="true" />
        {lt('copy.button')}
      </Button>
      <span role="status" className="text-meta text-muted">
        {said}
      </span>
    </span>
  )
}
