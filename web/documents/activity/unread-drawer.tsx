import { DenialReason } from '../errors/denial-reason.tsx'
import type { ApiError } from '#web/lib/api/api-error.ts'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'

/** Body of a drawer while its document is loading (skeleton), or if it failed to load (error under `title`). */
export function UnreadDrawer({
  error,
  title,
  doctype,
  name,
  onRetry,
}: {
  /** Null while it loads. */
  error: ApiError | null
  title: string
  doctype: string
  name: string
  onRetry: () => unknown
}) {
  if (error)
    return (
      <ErrorPanel className="flex items-start gap-3 p-5" title={title} error={error} onRetry={onRetry}>
        <DenialReason error={error} doctype={doctype} name={name} />
      </ErrorPanel>
    )
  return (
    <div className="grid gap-4 px-5 py-4" aria-hidden="true">
      <Skeleton className="h-4 w-48" />
      <Skeleton className="h-4 w-56" />
      <Skeleton className="h-4 w-40" />
    </div>
  )
}
