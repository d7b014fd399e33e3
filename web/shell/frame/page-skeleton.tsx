import { t } from '#web/lib/i18n/messages.ts'
import { Skeleton } from '#web/ui/skeleton.tsx'

/** Skeleton of a page whose code is loading: heading, summary cards, one panel. */
export function PageSkeleton() {
  return (
    <output className="late block" aria-label={t('common.loading')}>
      <Skeleton className="mb-6 h-6 w-40" />
      <Skeleton className="mb-4 h-22 w-full rounded-card" />
      <Skeleton className="h-64 w-full rounded-card" />
    </output>
  )
}
