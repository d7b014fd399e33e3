import { useState } from 'react'
import { toApiError } from '#web/lib/api/api-error.ts'
import { fullMessage } from '#web/lib/api/form-errors.ts'

/** What somebody asked for, while it happens and when it did not. */
export interface Attempt {
  readonly busy: boolean
  /** Why the last one failed, and what to do next. */
  readonly failure: string | null
  /** Does the work; a failure of it is kept to be shown, not thrown. */
  readonly attempt: (work: () => Promise<void>) => Promise<void>
  /** The failure has been seen. */
  readonly forget: () => void
}

/** Runs what a dialog or card was asked for; a failure stays where it was asked. */
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
    forget: () => setFailure(null),
  }
}
