import { t } from '#web/lib/i18n/messages.ts'
import { Spinner } from './spinner.tsx'

/** Full-screen spinner, identical to the one in the HTML shell so that nothing jumps when the app starts. */
export function ScreenSpinner() {
  return (
    <output className="grid min-h-dvh place-items-center" aria-label={t('common.loading')}>
      <Spinner className="late size-6 text-muted" />
    </output>
  )
}
