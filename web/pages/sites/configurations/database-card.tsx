import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { DetailList } from '#web/ui/detail-list.tsx'
import { databaseKind } from '../database-kind.ts'
import { t } from './messages.ts'

/** Which database a WordPress site on this machine has, what that means, and the move to the other one. */
export function DatabaseCard({ site }: { site: Site }) {
  const kind = databaseKind(site)
  if (kind === null) return null
  return (
    <Card aria-label={t('database.title')}>
      <CardHead title={t('database.title')} />
      <CardBody className="grid gap-3">
        <DetailList details={[{ label: t('database.kind'), value: kind.label }]} />
        <p className="text-table text-muted">{kind.meaning}</p>
        <div className="flex flex-wrap gap-2">
          <ActionButton
            type={SiteDoctype}
            doc={{ ...site, doctype: 'Site' }}
            name={site.database === 'mysql' ? 'move_to_sqlite' : 'move_to_mysql'}
            size="md"
          />
        </div>
      </CardBody>
    </Card>
  )
}
