import { Play } from 'lucide-react'
import { toApiError } from '#web/lib/api/api-error.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { usePreference } from '#web/lib/browser/use-preference.ts'
import { startTour } from '#web/lib/session/tour-list.ts'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { t } from './messages.ts'

/** Offers the short tour to users who have neither taken nor declined one. It never starts by itself. */
export function TourOffer() {
  const seen = usePreference('tours_seen')
  const names: readonly unknown[] = Array.isArray(seen.value) ? seen.value : []
  if (!seen.loaded || names.includes('onboardingv2') || names.includes('onboarding')) return null
  const decline = () =>
    seen
      .set([...names, 'onboardingv2'])
      .catch((error: unknown) =>
        showToast({ title: t('tour.failed'), description: fullMessage(toApiError(error)), variant: 'danger' }),
      )
  return (
    <Card className="mb-4 flex flex-wrap items-center justify-between gap-3 px-4 py-3">
      <div className="min-w-0">
        <h2>{t('start.tour')}</h2>
        <p className="text-table text-muted">{t('start.tour_text')}</p>
      </div>
      <div className="flex gap-2">
        <Button onClick={() => startTour('onboardingv2')}>
          <Play size={14} strokeWidth={1.75} aria-hidden="true" className="text-muted" />
          {t('start.tour_button')}
        </Button>
        <Button variant="ghost" onClick={() => void decline()}>
          {t('tour.decline')}
        </Button>
      </div>
    </Card>
  )
}
