import { useState } from 'react'
import type { Doctype } from '#shared/doctype.ts'
import { copyText } from '#web/lib/browser/copy-text.ts'
import { cx } from '#web/lib/browser/cx.ts'
import { actionCurl, type Command } from './copy-as.ts'
import { credentialsHint } from './copy-command.ts'
import { CopyMenu } from './copy-menu.tsx'
import { t } from './messages.ts'

/** Copies a command where a toast would be covered. `messages`: the outcome, sentence by sentence. */
export function useCopiedCommand(command: () => Command): { messages: readonly string[]; copy: () => Promise<void> } {
  const [messages, setMessages] = useState<readonly string[]>([])
  const copy = async () => {
    const made = command()
    setMessages((await copyText(made.text)) ? [t('copy.done'), credentialsHint(made)] : [t('copy.failed')])
  }
  return { messages, copy }
}

/** Outcome of copying, shown next to the button. */
export function CopyOutcome({ messages, className }: { messages: readonly string[]; className: string }) {
  return (
    <span role="status" className={cx('text-meta', className)}>
      {messages.map((message) => (
        <span key={message} className="block">
          {message}
        </span>
      ))}
    </span>
  )
}

/** The ⋯ menu of a dialog with a form: copies its command and shows the outcome beside it. */
function CopyCommandButton({ command }: { command: () => Command }) {
  const { messages, copy } = useCopiedCommand(command)
  return (
    <span className="mr-auto inline-flex items-center gap-2">
      <CopyMenu className="-ml-2" onCopy={() => void copy()} />
      <CopyOutcome messages={messages} className="text-muted" />
    </span>
  )
}

/** Copies the API call of an action. */
export function CopyActionButton({
  type,
  name,
  action,
  args,
}: {
  type: Doctype
  /** Name of the document. */
  name: string
  action: string
  /** The arguments currently entered in the dialog. */
  args: () => Readonly<Record<string, unknown>>
}) {
  return <CopyCommandButton command={() => actionCurl(type, name, action, args(), location.origin)} />
}
