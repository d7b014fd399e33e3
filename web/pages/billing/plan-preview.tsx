import { X } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { SubscriptionStatus } from '#shared/responses/billing.ts'
import type { PlanName } from '#shared/rules/plans.ts'
import { formatDay } from '#web/lib/i18n/format-day.ts'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { IconButton } from '#web/ui/icon-button.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { effectOf } from './plan-change.ts'
import { t } from './messages.ts'
import type { ChangeTime } from './use-plan-actions.ts'
import { formatPlanEffect, formatPrice } from './format-plan.ts'

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
  // Downgrades default to the end of the period, upgrades to now.
  const [when, setWhen] = useState<ChangeTime>(effect.direction === 'down' ? 'period_end' : 'now')
  const date = formatDay(endOfPeriod)
  const offered = status.plans.find(({ name }) => name === plan)
  if (!offered) return null
  const parts = [
    {
      label: when === 'now' ? t('preview.today_q', { plan }) : t('preview.later_q', { plan, date }),
      value: t('preview.today'),
      detail: t('preview.today_detail'),
    },
    {
      label: t('preview.bill_q'),
      value: t('preview.bill'),
      detail:
        offered.plan_cost === null
          ? t('preview.bill_request')
          : offered.plan_cost === 0
            ? t('preview.bill_free')
            : t('preview.bill_detail', { price: formatPrice(offered) }),
    },
  ]
  const chooser = (
    <Field label={t('preview.when')}>
      <Select value={when} onChange={(event) => setWhen(event.target.value === 'now' ? 'now' : 'period_end')}>
        <option value="now">{t('preview.now')}</option>
        <option value="period_end">{t('preview.period_end', { date })}</option>
      </Select>
    </Field>
  )
  const submit = (
    <Button variant="primary" busy={busy} onClick={() => void onMove(when)}>
      {t('preview.submit', { plan })}
    </Button>
  )
  const changes = <p className="mt-1 text-table">{formatPlanEffect(effect)}</p>
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
          {parts.map((part) => (
            <Part key={part.label} label={part.label}>
              <p className="text-lead font-semibold">{part.value}</p>
              <p className="text-meta text-muted">{part.detail}</p>
            </Part>
          ))}
          <Part label={t('preview.changes_q')}>{changes}</Part>
          {chooser}
        </div>
      </Dialog>
    )
  return (
    <Card aria-label={t('preview.title')} className="grid grid-cols-[1.2fr_1fr_1.4fr_auto] divide-x divide-hairline">
      {parts.map((part) => (
        <Part key={part.label} label={part.label} className="p-4">
          <p className="text-lead font-semibold tracking-[-.012em]">{part.value}</p>
          <p className="text-meta text-muted">{part.detail}</p>
        </Part>
      ))}
      <Part label={t('preview.changes_q')} className="p-4">
        {changes}
      </Part>
      <div className="flex items-end gap-3 p-4">
        <div className="w-44">{chooser}</div>
        {submit}
        <IconButton label={t('preview.close')} onClick={onClose}>
          <X size={16} strokeWidth={1.75} aria-hidden="true" />
        </IconButton>
      </div>
    </Card>
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
