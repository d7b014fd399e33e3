import { useState } from 'react'
import { toApiError } from '#web/lib/api/api-error.ts'
import { call } from '#web/lib/api/api.ts'
import { fullMessage } from '#web/lib/api/form-errors.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { platformMethod } from './methods.ts'
import { t } from './messages.ts'

/** Acts of the platform admin, one at a time. */
export interface Act {
  /** The method under way; null when none is. */
  readonly busy: string | null
  /**
   * Calls a method, says in a toast what happened, and reads the lists again. Returns the sentence of a failure, or null:
   * callers that have a place for it pass `quiet` and show it there.
   */
  run(method: string, params: Record<string, unknown>, done: string, quiet?: boolean): Promise<string | null>
}

/** Acts after which `reload` reads what is shown again. */
export function useAct(reload: () => Promise<unknown>): Act {
  const [busy, setBusy] = useState<string | null>(null)
  return {
    busy,
    async run(method, params, done, quiet = false) {
      setBusy(method)
      try {
        await call(platformMethod(method), params)
        await reload()
        showToast({ title: done, variant: 'success' })
        return null
      } catch (error) {
        const sentence = fullMessage(toApiError(error))
        if (!quiet) showToast({ title: t('act.failed'), description: sentence, variant: 'danger' })
        return sentence
      } finally {
        setBusy(null)
      }
    },
  }
}
