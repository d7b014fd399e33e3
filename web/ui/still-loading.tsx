import { t } from '#web/lib/i18n/messages.ts'
import { Spinner } from './spinner.tsx'

/**
 * Says of a first reading that takes long (docs/contracts/screens.md, section 9: 3 s, on slow connections 5 s) that it goes on, to eye
 * and ear. Takes no room: it floats over the upper edge of what is being read. Stands there from the start, because only
 * regions that are there are listened to.
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
