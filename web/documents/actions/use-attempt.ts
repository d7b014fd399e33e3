import { useState } from 'react'
import { toApiError } from '#web/lib/api/api-error.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'

/** State of an attempted operation. */
export interface Attempt {
  readonly busy: boolean
  /** Why the last attempt failed, and what to do next. */
  readonly failure: string | null
  /** Runs the work. Does not throw; the failure is stored for display. */
  readonly attempt: (work: () => Promise<void>) => Promise<void>
  /** Clears the failure. */
  readonly clearFailure: () => void
}

/** Runs the work of a dialog or card and shows a failure there. */
export function useAttempt(): Attempt {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  return {
    busy,
    failure,
    async attempt(work) {
      setFailure(null)
      setBusy(true)
      try {
        await work()
      } catch (error) {
        setFailure(fullMessage(toApiError(error)))
      } finally {
        setBusy(false)
      }
    },
    clearFailure: () => setFailure(null),
  }
}
