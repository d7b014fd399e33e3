import { useEffect, useEffectEvent } from 'react'
import { toApiError } from '#web/lib/api/api-error.ts'
import { runAction } from '#web/lib/api/api.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { useList } from '#web/lib/api/frappe.tsx'
import { jobLabel } from '#web/documents/jobs/job-label.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { useOpenJob } from '../jobs/job-link.ts'
import { jobEnded } from '../jobs/job-progress.ts'
import { t } from './messages.ts'
import { removeUndoOffer, useUndoOffers, type UndoOffer } from './undo-store.ts'
import { failureText } from './use-actions.ts'

/** Shows a toast with an undo button when an undoable job of this tab has completed. */
export function UndoOffers() {
  const openJob = useOpenJob()
  const offers = useUndoOffers()
  const jobs = useList(offers.length > 0 ? 'Job' : null, {
    fields: ['name', 'status', 'label', 'reference_title'],
    filters: [['name', 'in', offers.map(({ job }) => job)]],
    limit: offers.length,
  })
  const takeBack = useEffectEvent(async ({ type, name, undo }: UndoOffer) => {
    try {
      const result = await runAction<{ job?: unknown } | null>(type.name, name, undo)
      if (typeof result?.job === 'string') openJob(result.job)
    } catch (error) {
      showToast({
        title: t('action.failed', { action: translateText(type.actions?.[undo]?.label ?? undo) }),
        description: failureText(toApiError(error)),
        variant: 'danger',
      })
    }
  })
  const rows = jobs.data
  useEffect(() => {
    for (const job of rows ?? []) {
      const offer = offers.find((one) => one.job === job.name)
      if (!offer || !jobEnded(job)) continue
      removeUndoOffer(job.name)
      if (job.status === 'Done')
        showToast({
          title: t('action.done', { action: jobLabel(job) }),
          variant: 'success',
          action: { label: t('action.undo'), onClick: () => void takeBack(offer), lasting: true },
        })
    }
  }, [offers, rows])
  return null
}
