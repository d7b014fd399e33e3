import { Pencil } from 'lucide-react'
import { useState } from 'react'
import { PlanDoctype } from '#shared/doctypes/plan.ts'
import { isLimited } from '#shared/rules/plans.ts'
import { listCurl } from '#web/documents/actions/copy-as.ts'
import { CopyListButton } from '#web/documents/list/copy-list-button.tsx'
import { useBreakpoint } from '#web/lib/browser/use-breakpoint.ts'
import { formatMoney, formatNumber } from '#web/lib/i18n/format.ts'
import { useList } from '#web/lib/api/frappe.tsx'
import { Button } from '#web/ui/button.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Cell, HeadCell, NameCell, Row, Table } from '#web/ui/table.tsx'
import { GrantedPlans } from './granted-plans.tsx'
import { PlanDialog, planFields, type EditedPlan } from './plan-dialog.tsx'
import { PlansSwitch } from './plans-switch.tsx'
import { usePlatformSettings } from './platform-settings.ts'
import { QuotasSection } from './quotas-section.tsx'
import { t } from './messages.ts'

const formatLimit = (limit: number): string => (isLimited(limit) ? formatNumber(limit) : t('plans.no_limit'))
const formatPrice = (plan: EditedPlan): string =>
  plan.plan_cost === null ? t('plans.on_request') : formatMoney(plan.plan_cost, plan.currency)

const request = { fields: planFields, filters: [], or_filters: [], order_by: 'position asc', start: 0, limit: 0 }

/** Whether plans are on, their limits, and the disk quotas of sites. */
export function PlansTab() {
  const settings = usePlatformSettings()
  if (settings.error && !settings.data)
    return <ErrorPanel title={t('plans.error')} error={settings.error} onRetry={() => settings.reload()} />
  // What follows depends on the switch; drawn earlier, it would move.
  if (!settings.data) return <Skeleton className="h-96 w-full rounded-card" />
  return (
    <>
      <PlansSwitch settings={settings} />
      {settings.data.plans_enabled === 1 ? (
        <>
          <PlanTable />
          <GrantedPlans />
        </>
      ) : null}
      <QuotasSection />
    </>
  )
}

/** The installation's six plans. Their names are fixed; platform admins can edit the rest. */
function PlanTable() {
  const plans = useList('Plan', request)
  const [edited, setEdited] = useState<string | null>(null)
  const phone = useBreakpoint() === 'phone'
  if (plans.error && !plans.data)
    return <ErrorPanel title={t('plans.error')} error={plans.error} onRetry={() => plans.reload()} />
  const editing = plans.data?.find((plan) => plan.name === edited)
  const edit = (plan: EditedPlan) => (
    <Button size="sm" onClick={() => setEdited(plan.name)}>
      <Pencil size={14} strokeWidth={1.75} aria-hidden="true" />
      {t('plans.edit')}
      <span className="sr-only">{plan.plan_name}</span>
    </Button>
  )
  return (
    <>
      <div className="mb-3 flex items-center gap-2">
        <p className="flex-1 text-table text-muted">{t('plans.hint')}</p>
        <CopyListButton command={() => listCurl(PlanDoctype, request, location.origin)} />
      </div>
      {phone ? (
        <ul aria-label={t('platform.plans')} className="grid gap-2">
          {plans.data?.map((plan) => (
            <li key={plan.name} className="rounded-card border border-border bg-surface p-3.5 text-table shadow-xs">
              <div className="flex items-center gap-2">
                <span className="flex-1 font-medium">{plan.plan_name}</span>
                {edit(plan)}
              </div>
              <p className="mt-1 text-muted">
                {t('plans.line', {
                  price: formatPrice(plan),
                  sites: formatLimit(plan.site_limit ?? 0),
                  servers: formatLimit(plan.server_limit ?? 0),
                })}
              </p>
            </li>
          )) ?? <Skeleton className="h-96 w-full rounded-card" />}
        </ul>
      ) : (
        <Table label={t('platform.plans')} busy={!plans.data}>
          <thead>
            <tr>
              <HeadCell sticky>{t('plans.plan')}</HeadCell>
              <HeadCell right>{t('plans.price')}</HeadCell>
              <HeadCell right>{t('plans.sites')}</HeadCell>
              <HeadCell right>{t('plans.servers')}</HeadCell>
              <HeadCell className="w-full">{t('plans.features')}</HeadCell>
              <HeadCell>
                <span className="sr-only">{t('list.actions')}</span>
              </HeadCell>
            </tr>
          </thead>
          <tbody>
            {plans.data?.map((plan) => (
              <Row key={plan.name}>
                <NameCell>{plan.plan_name}</NameCell>
                <Cell right>{formatPrice(plan)}</Cell>
                <Cell right>{formatLimit(plan.site_limit ?? 0)}</Cell>
                <Cell right>{formatLimit(plan.server_limit ?? 0)}</Cell>
                <Cell className="max-w-0 truncate text-muted">
                  {plan.features ? plan.features.split('\n').filter(Boolean).join(', ') : t('common.none')}
                </Cell>
                <Cell right>{edit(plan)}</Cell>
              </Row>
            )) ??
              Array.from({ length: 6 }, (_, index) => (
                <Row key={index} aria-hidden="true">
                  {Array.from({ length: 6 }, (_, at) => (
                    <Cell key={at}>
                      <Skeleton className="h-3 w-20" />
                    </Cell>
                  ))}
                </Row>
              ))}
          </tbody>
        </Table>
      )}
      {editing ? (
        <PlanDialog
          plan={editing}
          onClose={() => setEdited(null)}
          onSaved={async () => {
            await plans.reload()
            setEdited(null)
          }}
        />
      ) : null}
    </>
  )
}
