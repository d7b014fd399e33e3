import { useState } from 'react'
import type { WordPressFacts } from '#shared/responses/wordpress.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { DetailList } from '#web/ui/detail-list.tsx'
import { Time } from '#web/ui/time.tsx'
import { apiTime } from '../wordpress/api-time.ts'
import type { WordPress } from '../wordpress/use-wordpress.ts'
import { newerWordPress } from '../wordpress-version.tsx'
import { t } from './messages.ts'
import { RollBackDialog } from './roll-back-dialog.tsx'
import { VersionDialog } from './version-dialog.tsx'

/** Which WordPress a site has, and the ways to another version. */
export function CoreCard({ wordpress, facts }: { wordpress: WordPress; facts: WordPressFacts }) {
  const { site } = wordpress
  const lacking = wordpress.heldFor('set_core')
  // The versions are read from the site, which a job keeps busy; rolling back only waits for the job.
  const held = wordpress.held ?? lacking
  const rollBackHeld = wordpress.jobsHeld ?? lacking
  const [changing, setChanging] = useState<string | null>(null)
  const [rollingBack, setRollingBack] = useState(false)
  const { version, previous } = facts
  const newer = newerWordPress(version) ?? facts.update
  const gateOf = (reason: string | null) => (reason === null ? {} : ({ 'aria-disabled': true, title: reason } as const))
  return (
    <Card aria-labelledby="wordpress-core">
      <CardHead id="wordpress-core" title={t('core.title')} />
      <CardBody className="grid gap-3">
        <DetailList
          details={[
            { label: t('core.installed'), value: version },
            ...(newer === null ? [] : [{ label: t('core.newest'), value: newer }]),
            ...(previous === null
              ? []
              : [
                  {
                    label: t('core.previous'),
                    value: (
                      <Time
                        value={apiTime(previous.at)}
                        format={(when) => t('core.previous_since', { version: previous.version, when })}
                      />
                    ),
                  },
                ]),
          ]}
        />
        <div className="flex flex-wrap gap-2">
          {newer === null ? null : (
            <Button size="md" {...gateOf(held)} onClick={() => (held === null ? setChanging(newer) : undefined)}>
              {t('core.update', { version: newer })}
            </Button>
          )}
          <Button size="md" {...gateOf(held)} onClick={() => (held === null ? setChanging(version) : undefined)}>
            {t('core.change')}
          </Button>
          {previous === null ? null : (
            <Button
              size="md"
              {...gateOf(rollBackHeld)}
              onClick={() => (rollBackHeld === null ? setRollingBack(true) : undefined)}
            >
              {t('core.roll_back', { version: previous.version })}
            </Button>
          )}
        </div>
        {lacking === null ? null : <p className="text-meta text-muted">{lacking}</p>}
      </CardBody>
      {changing === null ? null : (
        <VersionDialog site={site} installed={version} wanted={changing} onClose={() => setChanging(null)} />
      )}
      {rollingBack && previous !== null ? (
        <RollBackDialog site={site} current={version} previous={previous} onClose={() => setRollingBack(false)} />
      ) : null}
    </Card>
  )
}
