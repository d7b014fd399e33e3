import { useState } from 'react'
import { toApiError } from '#web/lib/api/api-error.ts'
import { call } from '#web/lib/api/api.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { platformMethod } from './methods.ts'
import { t } from './messages.ts'

/** Platform admin actions, one at a time. */
export interface PlatformMethodRunner {
  /** The running method; null if none. */
  readonly busy: string | null
  /**
   * Calls a method, shows the outcome in a toast, and refetches the lists. Returns the error message, or null. Callers that
   * show the error themselves pass `quiet`.
   */
  run(method: string, params: Record<string, unknown>, done: string, quiet?: boolean): Promise<string | null>
}

/** Actions after which `reload` refetches the shown data. */
export function usePlatformMethod(reload: () => Promise<unknown>): PlatformMethodRunner {
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
        const localized = fullMessage(toApiError(error))
        if (!quiet) showToast({ title: t('act.failed'), description: localized, variant: 'danger' })
        return localized
      } finally {
        setBusy(null)
      }
    },
  }
}
