import { useState } from 'react'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { useActions } from '#web/documents/actions/use-actions.ts'
import { usePeople } from '#web/documents/people.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { DetailList } from '#web/ui/detail-list.tsx'
import { ShareButton } from '../share-button.tsx'
import { TransferDialog } from '../transfer-dialog.tsx'
import { t } from './messages.ts'

/** Whose site it is and with whom it is shared; nothing for users who can change neither. */
export function PeopleCard({ site }: { site: Site }) {
  const actions = useActions(SiteDoctype, { ...site, doctype: 'Site' })
  const person = usePeople([site.createdby_email])
  const [transferring, setTransferring] = useState(false)
  const transfer = actions.find(({ name }) => name === 'set_owner')?.gate
  if (!transfer) return null
  return (
    <Card aria-label={t('people.title')}>
      <CardHead title={t('people.title')} />
      <CardBody className="grid gap-3">
        {site.createdby_email ? (
          <DetailList details={[{ label: t('people.owner'), value: person(site.createdby_email) }]} />
        ) : null}
        <div className="flex flex-wrap gap-2">
          <ShareButton site={site} />
          <Button
            aria-disabled={transfer.enabled ? undefined : true}
            title={transfer.enabled ? undefined : transfer.reason}
            onClick={() => {
              if (transfer.enabled) setTransferring(true)
            }}
          >
            {t('people.transfer')}
          </Button>
        </div>
        <p className="text-meta text-muted">{t('people.share_hint')}</p>
      </CardBody>
      {transferring ? <TransferDialog site={site} onClose={() => setTransferring(false)} /> : null}
    </Card>
  )
}
