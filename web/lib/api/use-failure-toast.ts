import { useEffect } from 'react'
import { showToast } from '../browser/toasts.ts'

/**
 * Tells by toast that something could not be read, once for each failure, under the fixed title for
 * it (section 8). Never the only copy: what stands in its place on the page says it, too.
 */
export function useFailureToast(title: string, error: Error | null): void {
  const message = error?.message ?? null
  useEffect(() => {
    if (message !== null) showToast({ title, description: message, variant: 'danger' })
  }, [message, title])
}
