import { useState } from 'react'
import type * as z from 'zod/mini'
import { grantedPlans, type grantedPlan } from '#shared/responses/platform.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { call } from '#web/lib/api/api.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { formatDay } from '#web/lib/i18n/format-day.ts'
import { formatMoney } from '#web/lib/i18n/format.ts'
import { Button } from '#web/ui/button.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { useApiForm } from '#web/ui/form/use-api-form.ts'
import { Notice } from '#web/ui/notice.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { CopyMethodButton } from './copy-method-button.tsx'
import { platformMethod } from './methods.ts'
import { t } from './messages.ts'
import { tGranted } from './granted-messages.ts'
import { usePlatformMethod } from './use-platform-method.ts'

type Granted = z.infer<typeof grantedPlan>

const dayMs = 86_400_000
/** The day that is proposed: time enough to be told and to find a card. */
const proposedDays = 30
const dayIn = (days: number) => new Date(Date.now() + days * dayMs).toISOString().slice(0, 10)

/** Plans that nobody pays for, where others are paid for: who has them, and until when. */
export function GrantedPlans() {
  const granted = useMethod(platformMethod('granted_plans'), {}, { returns: grantedPlans })
  const runner = usePlatformMethod(() => granted.reload())
  const [ending, setEnding] = useState<readonly Granted[] | null>(null)
  if (granted.error && !granted.data)
    return <ErrorPanel title={tGranted('error')} error={granted.error} onRetry={() => granted.reload()} />
  if (!granted.data || granted.data.total === 0) return null
  const { rows, total } = granted.data
  const endless = rows.filter(({ ends }) => ends === null)
  return (
    <section aria-labelledby="granted-plans" className="mt-6">
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <div className="min-w-60 flex-1">
          <h2 id="granted-plans" className="font-semibold">
            {tGranted('title')}
          </h2>
          <p className="text-table text-muted">{tGranted('hint')}</p>
        </div>
        {endless.length > 1 ? (
          <Button onClick={() => setEnding(endless)}>{tGranted('end_all', { count: endless.length })}</Button>
        ) : null}
      </div>
      {total > rows.length ? <Notice tone="info">{tGranted('more', { shown: rows.length, total })}</Notice> : null}
      <ul
        aria-label={tGranted('title')}
        className="divide-y divide-hairline rounded-card border border-border bg-surface shadow-xs"
      >
        {rows.map((row) => (
          <li key={row.organization} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5 text-table">
            <div className="min-w-40 flex-1">
              <p className="truncate font-medium">{row.title}</p>
              <p className="text-muted">
                {tGranted('line', {
                  plan: row.plan,
                  price: row.price === null ? t('plans.on_request') : formatMoney(row.price, row.currency),
                })}
              </p>
            </div>
            <p className={row.ends === null ? 'text-muted' : undefined}>
              {row.ends === null ? tGranted('endless') : tGranted('ends', { date: formatDay(row.ends) })}
            </p>
            <span className="flex flex-wrap items-center gap-1 max-md:w-full">
              {row.ends === null ? null : (
                <Button
                  size="sm"
                  busy={runner.busy === 'end_granted_plan'}
                  onClick={() =>
                    void runner.run(
                      'end_granted_plan',
                      { organization: row.organization },
                      tGranted('kept', { title: row.title }),
                    )
                  }
                >
                  {tGranted('keep')}
                  <span className="sr-only">{row.title}</span>
                </Button>
              )}
              <Button size="sm" onClick={() => setEnding([row])}>
                {tGranted(row.ends === null ? 'end' : 'change')}
                <span className="sr-only">{row.title}</span>
              </Button>
              <CopyMethodButton
                action={tGranted('end')}
                method="end_granted_plan"
                params={{ organization: row.organization, until: dayIn(proposedDays) }}
              />
            </span>
          </li>
        ))}
      </ul>
      {ending ? <EndDialog rows={ending} onClose={() => setEnding(null)} reload={() => granted.reload()} /> : null}
    </section>
  )
}

/** Asks for the day after which plans end, and ends them one by one: what was refused is said, the others are done. */
function EndDialog({
  rows,
  onClose,
  reload,
}: {
  rows: readonly Granted[]
  onClose: () => void
  reload: () => Promise<unknown>
}) {
  const form = useApiForm({
    defaultValues: { until: rows[0]?.ends?.slice(0, 10) ?? dayIn(proposedDays) },
    fallbackField: 'until',
    async send({ until }) {
      const refused: string[] = []
      for (const { organization, title } of rows) {
        try {
          await call(platformMethod('end_granted_plan'), { organization, until })
        } catch (thrown) {
          const error = toApiError(thrown)
          // A day that does not fit does not fit for the others either.
          if (error.field === 'until') throw error
          refused.push(`${title}: ${fullMessage(error)}`)
        }
      }
      await reload()
      if (refused.length > 0) showToast({ title: t('act.failed'), description: refused.join('\n'), variant: 'danger' })
      else showToast({ title: tGranted('ended', { count: rows.length }), variant: 'success' })
      onClose()
    },
  })
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={tGranted('end_title', { count: rows.length, title: rows[0]?.title ?? '' })}
      description={tGranted('end_hint')}
      footer={
        <>
          <Button onClick={onClose}>{t('plans.cancel')}</Button>
          <Button type="submit" form="end-granted" variant="primary" busy={form.busy}>
            {tGranted('end_confirm')}
          </Button>
        </>
      }
    >
      <form {...form.props} id="end-granted">
        <Field label={tGranted('until')} error={form.errorOf('until')}>
          <Input type="date" min={dayIn(1)} max={dayIn(365)} {...form.register('until')} />
        </Field>
      </form>
    </Dialog>
  )
}
