import { X } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { SubscriptionStatus } from '#shared/responses/billing.ts'
import { freePlan, type PlanName } from '#shared/rules/plans.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { formatDay } from '#web/lib/i18n/format-day.ts'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { IconButton } from '#web/ui/icon-button.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { Spinner } from '#web/ui/spinner.tsx'
import { effectOf } from './plan-change.ts'
import { t } from './messages.ts'
import type { ChangeTime } from './use-plan-actions.ts'
import { formatPlanEffect } from './format-plan.ts'
import { freeParts, usePaidPreview, type PaidPreview } from './preview-parts.ts'

/** Cost and effect of another plan, before changing to it; in a dialog where plans are shown as cards. */
export function PlanPreview({
  status,
  plan,
  endOfPeriod,
  busy,
  sheet,
  onClose,
  onMove,
}: {
  status: SubscriptionStatus
  plan: PlanName
  /** Null while unknown. */
  endOfPeriod: Date | null
  busy: boolean
  sheet: boolean
  onClose: () => void
  onMove: (when: ChangeTime) => Promise<void>
}) {
  const effect = effectOf(status, plan)
  // Of a plan that was given, nothing is paid yet that a smaller one to be paid for could wait for.
  const isGiven = status.payment_provider !== null && status.billed_until === null && plan !== freePlan
  // Downgrades default to the end of the period, upgrades to now.
  const [when, setWhen] = useState<ChangeTime>(effect.direction === 'down' && !isGiven ? 'period_end' : 'now')
  const date = formatDay(endOfPeriod)
  const offered = status.plans.find(({ name }) => name === plan)
  const paid = usePaidPreview(status, offered, when, date)
  if (!offered) return null
  const parts = paid ? paid.parts : freeParts(offered, when, date)
  // Where plans are paid for, the direction decides: an upgrade is paid and used at once, a downgrade waits.
  const chooser = paid ? null : (
    <Field label={t('preview.when')}>
      <Select value={when} onChange={(event) => setWhen(event.target.value === 'now' ? 'now' : 'period_end')}>
        <option value="now">{t('preview.now')}</option>
        <option value="period_end">{t('preview.period_end', { date })}</option>
      </Select>
    </Field>
  )
  const submit = paid?.needsCard ? (
    <div className="grid gap-2">
      <p className="text-table text-warn">{t('preview.needs_card')}</p>
      <ButtonLink to={{ hash: '#payment-methods' }}>{t('preview.add_card')}</ButtonLink>
    </div>
  ) : (
    <Button variant="primary" busy={busy} disabled={parts === null} onClick={() => void onMove(when)}>
      {t('preview.submit', { plan })}
    </Button>
  )
  const changes = (
    <p className="mt-1 text-table">{formatPlanEffect(paid?.lost ? { ...effect, above: paid.lost } : effect)}</p>
  )
  const costs = (className?: string) =>
    parts?.map((part) => (
      <Part key={part.label} label={part.label} {...(className && { className })}>
        <p className="text-lead font-semibold tracking-[-.012em]">{part.value}</p>
        <p className="text-meta text-muted">{part.detail}</p>
      </Part>
    )) ?? <Calculating paid={paid} className={className && `col-span-2 ${className}`} />
  if (sheet)
    return (
      <Dialog
        open
        onOpenChange={(open) => {
          if (!open) onClose()
        }}
        title={t('preview.title')}
        footer={submit}
      >
        <div className="grid gap-4">
          {costs()}
          <Part label={t('preview.changes_q')}>{changes}</Part>
          {chooser}
        </div>
      </Dialog>
    )
  return (
    <Card aria-label={t('preview.title')} className="grid grid-cols-[1.2fr_1fr_1.4fr_auto] divide-x divide-hairline">
      {costs('p-4')}
      <Part label={t('preview.changes_q')} className="p-4">
        {changes}
      </Part>
      <div className="flex items-end gap-3 p-4">
        {chooser ? <div className="w-44">{chooser}</div> : null}
        {submit}
        <IconButton label={t('preview.close')} onClick={onClose}>
          <X size={16} strokeWidth={1.75} aria-hidden="true" />
        </IconButton>
      </div>
    </Card>
  )
}

/** In place of what a change costs: that it is being calculated, or why it could not be. */
function Calculating({ paid, className }: { paid: PaidPreview | null; className: string | undefined }) {
  return (
    <div className={className}>
      {paid?.error ? (
        <div role="alert" className="text-table">
          <p className="font-semibold text-bad">{t('preview.error_title')}</p>
          <p>{fullMessage(paid.error)}</p>
          <Button size="md" className="mt-2" onClick={() => void paid.reload()}>
            {t('preview.retry')}
          </Button>
        </div>
      ) : (
        <p className="flex items-center gap-2 text-table text-muted">
          <Spinner className="size-3.5" /> {t('preview.calculating')}
        </p>
      )}
    </div>
  )
}

function Part({ label, className, children }: { label: string; className?: string; children: ReactNode }) {
  return (
    <div className={className}>
      <h3 className="text-meta font-normal text-muted">{label}</h3>
      {children}
    </div>
  )
}
