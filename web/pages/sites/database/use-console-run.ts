import { useState } from 'react'
import { usePasswordCheck } from '#web/documents/actions/password-check.tsx'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { runAction } from '#web/lib/api/api.ts'
import { checkedResult, type Checkable } from '#web/lib/api/checked-response.ts'
import { rereadDatabase } from './database-data.ts'

/** Runs what somebody typed in a console of a site, with a fresh password, one at a time. */
export function useConsoleRun<T>(site: string, { action, returns }: { action: string; returns: Checkable<T> }) {
  const [busy, setBusy] = useState(false)
  const [result, setResult] = useState<T | null>(null)
  const [error, setError] = useState<string | null>(null)
  const { checked, dialog } = usePasswordCheck()
  const run = async (args: Record<string, unknown>) => {
    setBusy(true)
    setError(null)
    setResult(null)
    try {
      setResult(
        await checked(async () =>
          checkedResult(returns, await runAction('Site', site, action, { ...args, confirmed: 1 })),
        ),
      )
      void rereadDatabase(site)
    } catch (failure) {
      setError(fullMessage(toApiError(failure)))
    } finally {
      setBusy(false)
    }
  }
  return { busy, result, error, run, dialog }
}
