import { useState } from 'react'
import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import { Switch } from '#web/ui/form/switch.tsx'
import { useActionRunner, useActions } from './use-actions.ts'

/** A switch whose action takes `enabled`; nothing for users without the action. */
export function ActionSwitch({
  type,
  doc,
  name,
  on,
  label,
  hint,
  done,
  onDone,
}: {
  type: Doctype
  doc: AnyDoc
  name: string
  on: boolean
  label: string
  hint: string
  /** What the toast says of a success. */
  done: (on: boolean) => string
  /** After a success, for a value that is not in the document. */
  onDone?: () => void
}) {
  const { runOrToast } = useActionRunner(type)
  const gate = useActions(type, doc).find((entry) => entry.name === name)?.gate
  const [busy, setBusy] = useState(false)
  if (!gate) return null
  const change = async (next: boolean): Promise<void> => {
    setBusy(true)
    const result = await runOrToast(doc, name, { enabled: next ? 1 : 0 }, { done: done(next) })
    if (result) onDone?.()
    setBusy(false)
  }
  return (
    <div className="grid gap-0.5">
      <div className="flex items-center justify-between gap-2">
        <span className="text-table font-medium" aria-hidden="true">
          {label}
        </span>
        <Switch
          label={label}
          hideLabel
          checked={on}
          disabled={busy || !gate.enabled}
          onChange={(next) => void change(next)}
        />
      </div>
      <p className="text-meta text-muted">{gate.enabled ? hint : gate.reason}</p>
    </div>
  )
}
