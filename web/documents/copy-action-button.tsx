import { SquareTerminal } from 'lucide-react'
import { useState } from 'react'
import type { Doctype } from '#shared/doctype.ts'
import { copyText } from '#web/lib/copy-text.ts'
import { Button } from '#web/ui/button.tsx'
import { actionCurl, type Command } from './copy-as.ts'
import { missingIn } from './copy-command.ts'
import { lt } from './list-messages.ts'

/** Copies a command where a toast would not be seen: in dialogs, which say beside the button what came of it. */
export function CopyCommandButton({ command }: { command: () => Command }) {
  const [said, setSaid] = useState<readonly string[]>([])
  const copy = async () => {
    const made = command()
    const done = await copyText(made.text)
    setSaid(done ? [lt('copy.done'), ...(made.by === 'session' ? [missingIn(made)] : [])] : [lt('copy.refused')])
  }
  return (
    <span className="mr-auto inline-flex items-center gap-2">
      <Button size="sm" variant="ghost" className="-ml-2 text-muted" onClick={() => void copy()}>
        <SquareTerminal size={14} strokeWidth={1.75} aria-hidden="true" />
        {lt('copy.button')}
      </Button>
      <span role="status" className="text-meta text-muted">
        {said.map((sentence) => (
          <span key={sentence} className="block">
            {sentence}
          </span>
        ))}
      </span>
    </span>
  )
}

/** Copies the API call an action stands for. */
export function CopyActionButton({
  type,
  name,
  action,
  args,
}: {
  type: Doctype
  /** Of the document. */
  name: string
  action: string
  /** As they stand in the dialog now. */
  args: () => Readonly<Record<string, unknown>>
}) {
  return <CopyCommandButton command={() => actionCurl(type, name, action, args(), location.origin)} />
}
