import { CheckIcon } from '#web/ui/images/icons.tsx'
import { Spinner } from '#web/ui/spinner.tsx'
import { StatusMark } from '#web/ui/images/status-marks.tsx'
import type { SlugState } from './use-slug-state.ts'
import { tCreate } from './messages.ts'

/** Status of the slug inside its input, announced when it settles. */
export function SlugStatus({ state }: { state: SlugState }) {
  return (
    <span className="flex items-center gap-1.5 font-sans text-meta" aria-live="polite">
      {state.kind === 'checking' && (
        <>
          <Spinner className="size-3.5" />
          <span className="sr-only">{tCreate('organization.checking')}</span>
        </>
      )}
      {state.kind === 'free' && (
        <>
          <span className="flex items-center gap-1.5 text-ok">
            <CheckIcon size={14} />
            {tCreate('organization.available')}
          </span>
        </>
      )}
      {state.kind === 'taken' && (
        <>
          <StatusMark tone="bad" size={14} />
          <span className="text-bad">{tCreate('organization.taken_short')}</span>
        </>
      )}
    </span>
  )
}
