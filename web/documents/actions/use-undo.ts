import { toApiError } from '#web/lib/api/api-error.ts'
import { runAction } from '#web/lib/api/api.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { useOpenJob } from '../jobs/job-link.ts'
import { t } from './messages.ts'
import type { UndoOffer } from './undo-store.ts'
import { failureText } from './use-actions.ts'

/** Undoes an action whose job has completed, and opens the job that does it. A toast says why if that is not possible. */
export function useUndo(): (offer: UndoOffer) => Promise<void> {
  const openJob = useOpenJob()
  return async ({ type, name, undo }) => {
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
  }
}
