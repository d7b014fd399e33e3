import { useState } from 'react'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import type { PushPlan } from '#shared/responses/push-plan.ts'
import { useActionRunner, useActions } from '#web/documents/actions/use-actions.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { Checkbox } from '#web/ui/form/checkbox.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import type { Decisions } from './clash-list.tsx'
import { t } from './messages.ts'

/** Parts that are pushed. */
export interface PushParts {
  readonly files: boolean
  readonly database: boolean
}

/** What to push, and the button for it. */
export function PushCard({
  site,
  live,
  plan,
  madeAt,
  parts,
  onParts,
  decisions,
}: {
  site: Site
  /** Name of the live site. */
  live: string
  plan: PushPlan
  madeAt: string
  parts: PushParts
  onParts: (parts: PushParts) => void
  decisions: Decisions
}) {
  const gate = useActions(SiteDoctype, { ...site, doctype: 'Site' }).find(({ name }) => name === 'push_staging')?.gate
  const [isAsking, setAsking] = useState(false)
  const isEmpty = !parts.files && !parts.database
  const reason = gate?.enabled === false ? gate.reason : isEmpty ? t('what.choose') : null
  return (
    <Card aria-labelledby="push-what">
      <CardHead id="push-what" title={t('what.title')} />
      <CardBody className="grid gap-3">
        <Checkbox
          label={t('what.files')}
          hint={t('what.files_hint')}
          checked={parts.files}
          onChange={(event) => onParts({ ...parts, files: event.target.checked })}
        />
        {plan.database === null ? null : (
          <Checkbox
            label={t('what.database')}
            hint={t('what.database_hint')}
            checked={parts.database}
            onChange={(event) => onParts({ ...parts, database: event.target.checked })}
          />
        )}
        <div className="flex flex-wrap items-center gap-3">
          <Button
            variant="primary"
            aria-disabled={reason === null ? undefined : true}
            aria-describedby={reason === null ? undefined : 'push-reason'}
            onClick={() => (reason === null ? setAsking(true) : undefined)}
          >
            {t('what.push', { site: live })}
          </Button>
          {reason === null ? null : (
            <span id="push-reason" className="text-meta text-muted">
              {reason}
            </span>
          )}
        </div>
      </CardBody>
      {isAsking ? (
        <PushDialog
          {...{ site, live }}
          args={{
            made_at: madeAt,
            what: [...(parts.files ? ['files'] : []), ...(parts.database ? ['database'] : [])],
            take: [...decisions.take],
            take_all: [...decisions.takeAll],
          }}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </Card>
  )
}

function PushDialog({
  site,
  live,
  args,
  onClose,
}: {
  site: Site
  live: string
  args: Record<string, unknown>
  onClose: () => void
}) {
  const { run } = useActionRunner(SiteDoctype)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const push = async (): Promise<void> => {
    setBusy(true)
    setFailure(null)
    try {
      await run(site, 'push_staging', args)
      onClose()
    } catch (error) {
      setFailure(fullMessage(toApiError(error)))
      setBusy(false)
    }
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !busy) onClose()
      }}
      title={t('confirm.title', { site: live })}
      description={t('confirm.text', { site: live })}
      footer={
        <>
          <Button onClick={onClose}>{t('confirm.cancel')}</Button>
          <Button variant="primary" busy={busy} onClick={() => void push()}>
            {t('confirm.confirm')}
          </Button>
        </>
      }
    >
      <div className="grid gap-3">
        {failure === null ? null : <Notice tone="bad">{failure}</Notice>}
        <p className="text-table text-muted">{t('confirm.old')}</p>
      </div>
    </Dialog>
  )
}
