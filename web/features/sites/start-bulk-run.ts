import { useNavigate } from 'react-router'
import type { BulkActionName } from '#shared/rules/bulk-actions.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { call } from '#web/lib/api/api.ts'
import { showToast } from '#web/lib/browser/toasts.ts'

/** Starts a bulk run on the server and opens its page. */
export function useStartBulkRun() {
  const navigate = useNavigate()
  const start = async (action: BulkActionName, argument: string | null, sites: readonly string[]): Promise<void> => {
    const { name } = await call<{ name: string }>('easydash.api.site.start_bulk_run', {
      action,
      ...(argument !== null && { argument }),
      sites,
    })
    void navigate(`/bulk/${encodeURIComponent(name)}`)
  }
  return {
    /** Throws `ApiError`. */
    start,
    /** Shows the error instead. */
    async orToast(...args: Parameters<typeof start>): Promise<void> {
      try {
        await start(...args)
      } catch (error) {
        const failure = toApiError(error)
        showToast({ title: failure.message, description: fullMessage(failure), variant: 'danger' })
      }
    },
  }
}
