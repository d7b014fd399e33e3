import { Check } from 'lucide-react'
import { t } from '#web/lib/messages.ts'
import { ErrorGlyph } from '#web/ui/field.tsx'
import { Spinner } from '#web/ui/spinner.tsx'
import type { SlugState } from './use-slug-state.ts'

/** The slug's state inside its box, read out when it settles. */
export function SlugStatus({ state }: { state: SlugState }) {
  return (
    <span className="flex items-center gap-1.5 font-sans text-meta" aria-live="polite">
      {state.kind === 'checking' && (
        <>
          <Spinner className="size-3.5" />
          <span className="sr-only">{t('organization.checking')}</span>
        </>
      )}
      {state.kind === 'free' && (
        <>
          <Check size={14} strokeWidth={2} className="text-m-ok" />
          <span className="text-ok">{t('organization.available')}</span>
        </>
      )}
      {state.kind === 'taken' && (
        <>
          <ErrorGlyph />
          <span className="text-bad">{t('organization.taken_short')}</span>
        </>
      )}
    </span>
  )
}
