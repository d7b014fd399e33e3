import { cx } from '#web/lib/browser/cx.ts'
import { Card } from '#web/ui/card.tsx'
import { resources } from './plan-change.ts'
import { PlanButton, type PlanChoice } from './plan-button.tsx'
import { Features, PlanLimit, PlanName } from './plan-table.tsx'
import { t } from './messages.ts'

/** The six plans as cards: stacked on phones, in rows on tablets, where a table doesn't fit. */
export function PlanCards(choice: PlanChoice) {
  const { status } = choice
  return (
    <ul aria-label={t('plans.table')} className="grid gap-3 md:grid-cols-3">
      {status.plans.map((plan) => (
        <li key={plan.name}>
          <Card
            className={cx('grid h-full content-between gap-3 p-4', plan.name === status.plan_name && 'bg-brand-bg!')}
          >
            <div>
              <PlanName plan={plan} status={status} />
            </div>
            <dl className="grid grid-cols-2 gap-3 text-table">
              {resources.map((resource) => (
                <div key={resource}>
                  <dt className="text-meta text-muted">{t(`plans.${resource}`)}</dt>
                  <dd>
                    <PlanLimit plan={plan} status={status} resource={resource} />
                  </dd>
                </div>
              ))}
            </dl>
            {plan.features.length > 0 ? <Features plan={plan} /> : null}
            <PlanButton plan={plan} choice={choice} />
          </Card>
        </li>
      ))}
    </ul>
  )
}
