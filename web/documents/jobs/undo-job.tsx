import { useEffect, useState } from 'react'
import type { AnyDoc } from '#shared/doctype.ts'
import type { DoctypeName } from '#shared/doctypes/registry.ts'
import { sameValue } from '#shared/same-value.ts'
import { useDoc } from '#web/lib/api/frappe.tsx'
import { Button } from '#web/ui/button.tsx'
import { t } from '../actions/messages.ts'
import { useReadyUndo, type LeftValues, type ReadyUndo } from '../actions/undo-store.ts'
import { pickFields } from '../actions/undo-values.ts'
import { useUndo } from '../actions/use-undo.ts'

/** The button that undoes a job of this tab, as long as nobody has changed what the job left. */
export function UndoJob({ job }: { job: string }) {
  const ready = useReadyUndo(job)
  return ready ? <UndoButton ready={ready} /> : null
}

function UndoButton({ ready }: { ready: ReadyUndo }) {
  const { offer, left } = ready
  const [values, setValues] = useState<LeftValues | null>(null)
  useEffect(() => {
    let isCurrent = true
    left.then(
      (found) => {
        if (isCurrent) setValues(found)
      },
      // What can't be read can't be compared: nothing is offered.
      () => undefined,
    )
    return () => {
      isCurrent = false
    }
  }, [left])
  const { fields = [] } = offer.undo
  const doc: AnyDoc | undefined = useDoc(offer.type.name as DoctypeName, fields.length > 0 ? offer.name : null).data
  const undo = useUndo()
  if (values === null) return null
  // Unlike the message, the drawer follows the document.
  if (fields.length > 0 && !(doc && sameValue(values, pickFields(doc, fields)))) return null
  return <Button onClick={() => void undo(offer, left)}>{t('action.undo')}</Button>
}
