import { useState } from 'react'
import { JobDoctype, type Job, type JobStep } from '#shared/doctypes/job.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { Button } from '#web/ui/button.tsx'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import { useActionRunner, useActions } from '../actions/use-actions.ts'
import { stepLabel } from './job-label.ts'
import { t } from './messages.ts'

/** Continues a job without one of its steps, for those who can retry the job; first says what that means. */
export function ContinueAnyway({ job, step }: { job: Job; step: JobStep }) {
  const doc = { ...job, doctype: 'Job' }
  const action = useActions(JobDoctype, doc).find(({ name }) => name === 'continue_anyway')
  const { run } = useActionRunner(JobDoctype)
  const [isOpen, setOpen] = useState(false)
  const [error, setError] = useState<string | null>(null)
  if (!action?.gate.enabled) return null
  const confirm = async () => {
    setError(null)
    try {
      await run(doc, action.name, { step: step.key })
      setOpen(false)
    } catch (problem) {
      setError(fullMessage(toApiError(problem)))
    }
  }
  return (
    <>
      <Button size="sm" className="mt-1.5" onClick={() => setOpen(true)}>
        {`${translateText(action.action.label)}…`}
      </Button>
      <AlertDialog
        open={isOpen}
        onOpenChange={(open) => {
          setOpen(open)
          setError(null)
        }}
        title={t('job.continue_title', { step: stepLabel(step) })}
        confirmLabel={translateText(action.action.label)}
        danger={false}
        error={error}
        onConfirm={confirm}
      >
        {translateText(step.continue_anyway ?? '')}
      </AlertDialog>
    </>
  )
}
