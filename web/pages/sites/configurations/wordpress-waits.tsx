import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { t } from './messages.ts'

/** In place of the settings of WordPress while a job works on the site: they are read from the site, which may not answer then. */
export function WordPressWaits() {
  return (
    <Card>
      <CardHead title={t('wp.title')} />
      <CardBody>
        <p className="text-table text-muted">{t('wp.waits')}</p>
      </CardBody>
    </Card>
  )
}
