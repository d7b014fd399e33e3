import type { ApiError } from '#web/lib/api/api-error.ts'
import { ErrorPanel, type Wanted } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'

/** Body of a drawer while its document is loading (skeleton), or if it failed to load (error under `title`). */
export function UnreadDrawer({
  error,
  title,
  wanted,
  onRetry,
}: {
  /** Null while it loads. */
  error: ApiError | null
  title: string
  wanted: Wanted
  onRetry: () => unknown
}) {
  if (error)
    return (
      <ErrorPanel
        className="flex items-start gap-3 p-5"
        title={title}
        error={error}
        wanted={wanted}
        onRetry={onRetry}
      />
    )
  return (
    <div className="grid gap-4 px-5 py-4" aria-hidden="true">
      <Skeleton className="h-4 w-48" />
      <Skeleton className="h-4 w-56" />
      <Skeleton className="h-4 w-40" />
    </div>
  )
}
