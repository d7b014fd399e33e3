import { useId, useState, type ComponentProps, type ReactNode } from 'react'
import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import { Button } from '#web/ui/button.tsx'
import type { PendingAction } from './action-dialog.tsx'
import { ActionQuestion } from './action-question.tsx'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { needsDialog, useActionRunner, useActions, type ActionResult } from './use-actions.ts'

/**
 * Renders one declared action as a button. Hidden if the role or the document's state doesn't allow it; disabled, with the
 * reason below, if it is only unavailable now.
 */
export function ActionButton({
  type,
  doc,
  name,
  label,
  icon,
  variant,
  size,
  args,
  fields,
  asks,
  details,
  onlyPossible = false,
  onStart,
  onDone,
}: {
  type: Doctype
  doc: AnyDoc
  name: string
  /** Defaults to the action's label. */
  label?: string
  icon?: ReactNode
  /** What this button is for: the dialog doesn't ask for it. */
  args?: Readonly<Record<string, string | number | readonly string[]>>
  /** How the dialog shows the others. */
  fields?: NonNullable<PendingAction['fields']>
  /** Whether a dialog asks before. Default: if the action needs one. */
  asks?: boolean
  /** What the page knows of it, for the confirmation. */
  details?: ReactNode
  /** Left out while it is unavailable: as the way out of a problem it must work. */
  onlyPossible?: boolean
  /** Asks what the action needs by a dialog of the page's own, which runs it. */
  onStart?: () => void
  onDone?: (result: ActionResult) => void
} & Pick<ComponentProps<typeof Button>, 'variant' | 'size'>) {
  const reasonId = useId()
  const [pending, setPending] = useState<PendingAction | null>(null)
  const [busy, setBusy] = useState(false)
  const { runOrToast } = useActionRunner(type)
  const found = useActions(type, doc).find((entry) => entry.name === name)
  if (!found) return null
  const { action, gate } = found
  if (onlyPossible && !gate.enabled) return null
  const text = label ?? translateText(action.label)
  const isAsked = asks ?? needsDialog(action)
  const start = async () => {
    if (!gate.enabled) return
    if (onStart) {
      onStart()
      return
    }
    if (isAsked) {
      setPending({
        doc,
        name,
        action,
        ...(args && { args }),
        ...(fields && { fields }),
        ...(label !== undefined && { label }),
      })
      return
    }
    setBusy(true)
    const result = await runOrToast(doc, name, args)
    setBusy(false)
    if (result) onDone?.(result)
  }
  return (
    <span className="inline-grid justify-items-start gap-1">
      <Button
        variant={variant}
        size={size}
        busy={busy}
        aria-disabled={gate.enabled ? undefined : true}
        aria-describedby={gate.enabled ? undefined : reasonId}
        onClick={() => void start()}
      >
        {busy ? null : icon}
        {isAsked ? `${text}…` : text}
      </Button>
      {gate.enabled ? null : (
        <span id={reasonId} className="text-meta text-muted">
          {gate.reason}
        </span>
      )}
      <ActionQuestion
        type={type}
        pending={pending}
        details={details}
        onClose={() => setPending(null)}
        onDone={onDone}
      />
    </span>
  )
}
