import { useEffect } from 'react'
import { showToast } from '../browser/toasts.ts'

/**
 * Shows a toast when data could not be loaded, once per failure, with its fixed title (docs/contracts/screens.md, section
 * 8). The page must also show the error in place of the data.
 */
export function useFailureToast(title: string, error: Error | null): void {
  const message = error?.message ?? null
  useEffect(() => {
    if (message !== null) showToast({ title, description: message, variant: 'danger' })
  }, [message, title])
}
