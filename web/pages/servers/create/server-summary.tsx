import type { ReactNode } from 'react'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import type { FormControl } from '#web/documents/form/use-form.ts'
import { valueLabel } from '#web/documents/query/list-query.ts'
import { useSmallList } from '#web/lib/api/frappe.tsx'
import { formatDuration } from '#web/lib/i18n/format.ts'
import { cx } from '#web/lib/browser/cx.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { DetailList, type Detail } from '#web/ui/detail-list.tsx'
import { Flag } from '#web/ui/images/flag.tsx'
import { ServerMark } from '../server-mark.tsx'
import { t } from './messages.ts'
import type { Step } from './server-form.ts'

/** How long servers of this organization took lately, in seconds, as their last job says; null if none says it. */
function useUsualSeconds(): number | null {
  const jobs = useSmallList('Job', {
    fields: ['usual_seconds'],
    filters: [
      ['job_type', '=', 'server.create'],
      ['usual_seconds', 'is', 'set'],
    ],
    order_by: 'creation desc',
    limit: 1,
  })
  return jobs.data?.[0]?.usual_seconds ?? null
}

/** What the choices mean, by name. Empty texts: not chosen yet. */
export interface ChosenServer {
  provider: NonNullable<Server['cloud_provider']>
  account: string
  country: string
  region: string
  machine: string
  system: string
  /** Number of the organization's keys; null while unknown. */
  keys: number | null
}

/** Cost of the chosen machine, or the lowest in the chosen region. */
export interface ServerPrice {
  isLowest: boolean
  monthly: string
  hourly: string | null
}

/** What will be created, what it costs and who bills it; `children`: the step's button. Stays visible next to the form. */
export function ServerSummary({
  control,
  step,
  chosen,
  price,
  children,
}: {
  control: FormControl
  step: Step
  chosen: ChosenServer
  price: ServerPrice | null
  children: ReactNode
}) {
  const usual = useUsualSeconds()
  const details = useDetails(control, step, chosen)
  const { provider } = chosen
  const isRented = provider !== 'Custom'
  return (
    <Card className="sticky top-[72px]">
      <CardHead title={t('create.summary')} />
      <div className="px-4 pt-1 pb-4">
        <DetailList details={details} />
      </div>
      {/* On phones the button is elsewhere, so that nothing may be left here. */}
      <div
        className={cx(
          'grid gap-3 border-t border-hairline p-4',
          !price && !isRented && usual === null && 'max-md:hidden',
        )}
      >
        {price ? (
          <div>
            <p className="flex flex-wrap items-baseline gap-x-1.5">
              {price.isLowest ? <span className="text-muted">{t('create.from')}</span> : null}
              <span className="text-[28px] leading-8 font-semibold tracking-[-0.03em]">{price.monthly}</span>
              <span className="text-muted">{t('create.per_month')}</span>
            </p>
            {price.hourly === null || price.isLowest ? null : (
              <p className="text-table text-muted">{t('create.spec_hourly', { price: price.hourly })}</p>
            )}
          </div>
        ) : null}
        {isRented || usual !== null ? (
          <p className="text-table text-muted">
            {isRented ? `${t('create.billed', { provider })} ` : null}
            {usual === null ? null : t('create.usually', { duration: formatDuration(Math.max(1, Math.round(usual))) })}
          </p>
        ) : null}
        {children}
      </div>
    </Card>
  )
}

function useDetails({ values }: FormControl, step: Step, chosen: ChosenServer): Detail[] {
  const { subscription } = useSession()
  const { provider, keys } = chosen
  const number = (subscription?.usage.server ?? 0) + 1
  const limit = subscription?.limits.server ?? 0
  const named = (label: string, value: string, empty = '—'): Detail => ({
    label,
    value: value === '' ? <span className="text-muted">{empty}</span> : <span className="font-medium">{value}</span>,
  })
  const withIcon = (icon: ReactNode, text: string) => (
    <span className="flex items-center justify-end gap-1.5 font-medium">
      {icon}
      {text}
    </span>
  )
  const place =
    provider === 'Custom'
      ? [named(t('create.sum_address'), String(values['public_ipv4'] ?? ''))]
      : [
          named(t('create.account'), chosen.account),
          chosen.region === ''
            ? named(t('create.region'), '')
            : { label: t('create.region'), value: withIcon(<Flag code={chosen.country} />, chosen.region) },
          named(t('create.machine'), chosen.machine, step === 'general-info' ? t('create.sum_next') : '—'),
          named(t('create.sum_system'), chosen.system),
        ]
  return [
    named(t('create.name'), String(values['hostname'] ?? '')),
    named(t('create.category'), valueLabel(ServerDoctype, 'server_category', String(values['server_category'] ?? ''))),
    {
      label: t('create.provider'),
      value: withIcon(
        <ServerMark provider={provider} className="size-4.5" />,
        valueLabel(ServerDoctype, 'cloud_provider', provider),
      ),
    },
    ...place,
    ...(keys === null
      ? []
      : [named(t('create.keys'), keys === 0 ? t('create.sum_keys_none') : t('create.sum_keys', { count: keys }))]),
    ...(subscription?.plans_enabled
      ? [
          named(
            t('create.sum_plan'),
            limit > 0 ? t('create.sum_plan_value', { number, limit }) : t('create.sum_plan_free', { number }),
          ),
        ]
      : []),
  ]
}
