import { runAction } from '#web/lib/api/api.ts'
import { refetch } from '#web/lib/api/data-client.ts'
import { docKey } from '#web/lib/api/data-keys.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { useOpenJob } from '../jobs/job-link.ts'
import { t } from './messages.ts'
import { takeBack } from './undo-button.ts'
import { endReadyUndo, type LeftValues, type UndoOffer } from './undo-store.ts'
import { isAsLeft } from './undo-values.ts'

/**
 * Undoes a change by an ordinary call with the values of before, unless what the change left was changed since. Opens the job that does
 * it, or says that it is done. A toast says why if it is not possible.
 */
export function useUndo(): (offer: UndoOffer, left: Promise<LeftValues>) => Promise<void> {
  const openJob = useOpenJob()
  return async (offer, left) => {
    const { type, name, undo, job } = offer
    const label = translateText(type.actions?.[undo.action]?.label ?? undo.action)
    endReadyUndo(job)
    await takeBack({
      failed: t('action.failed', { action: label }),
      async undo() {
        if (!(await isAsLeft(offer, left))) return false
        const result = await runAction<{ job?: unknown } | null>(type.name, name, undo.action, { ...undo.args })
        void refetch(docKey(type.name, name))
        if (typeof result?.job === 'string') openJob(result.job)
        else showToast({ title: t('action.done', { action: label }), variant: 'success' })
        return true
      },
    })
  }
}
