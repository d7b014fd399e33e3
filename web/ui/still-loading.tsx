import { t } from '#web/lib/i18n/messages.ts'
import { Spinner } from './spinner.tsx'

/**
 * Tells users and screen readers that a slow initial load is still running (docs/contracts/screens.md, section 9: after 3 s,
 * on slow connections 5 s). Takes no space: it floats above the loading content. Always mounted, because screen readers
 * ignore live regions that are added later.
 */
export function StillLoading({ slow }: { slow: boolean }) {
  return (
    <div aria-live="polite" className="sticky top-16 z-10 flex h-0 justify-center">
      {slow ? (
        <span className="mt-1 inline-flex h-7 flex-none items-center gap-2 rounded-full border border-border bg-raised px-3 text-meta text-muted shadow-pop">
          <Spinner className="size-3.5" />
          {t('common.still_loading')}
        </span>
      ) : null}
    </div>
  )
}
