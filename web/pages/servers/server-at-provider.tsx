import { ServerDoctype, type Server, type ServerDrift } from '#shared/doctypes/server.ts'
import { serverCosts } from '#shared/responses/servers.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { formatMoney } from '#web/lib/i18n/format.ts'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { DetailList } from '#web/ui/detail-list.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { t } from './messages.ts'

const labels = {
  vm_type: 'server.plan',
  public_ipv4: 'server.ipv4',
  public_ipv6: 'server.ipv6',
} as const satisfies Record<keyof ServerDrift, string>

/** What was changed at a server's provider, and the way to take it over. */
export function ServerDriftNotice({ server }: { server: Server }) {
  const { drift, cloud_provider } = server
  if (!drift) return null
  const changed = (Object.keys(labels) as (keyof ServerDrift)[]).filter((name) => drift[name] !== undefined)
  return (
    <Notice tone="warn" title={t('server.drift', { provider: cloud_provider ?? '' })} className="mb-4">
      <ul className="mt-0.5 grid gap-1">
        {changed.map((name) => (
          <li key={name}>
            {t('server.drift_of', {
              what: t(labels[name]),
              here: server[name] ?? t('server.drift_none'),
              there: drift[name] ?? '',
            })}
          </li>
        ))}
      </ul>
      <div className="mt-3">
        <ActionButton
          type={ServerDoctype}
          doc={{ ...server, doctype: 'Server' }}
          name="refresh_facts"
          label={t('server.drift_resync')}
        />
      </div>
    </Notice>
  )
}

/** What a server of a provider costs, and whether less would do. */
export function ServerCosts({ server }: { server: Server }) {
  const { name, price_monthly, price_currency } = server
  const costs = useMethod(
    price_monthly ? 'run_doc_method' : null,
    { dt: 'Server', dn: name, method: 'get_costs' },
    { verb: 'POST', returns: serverCosts },
  )
  if (!price_monthly || !price_currency || server.status === 'Decommissioned') return null
  const { this_month = null, oversized = false } = costs.data ?? {}
  const month = costs.error ? t('server.costs_failed') : formatMoney(this_month, price_currency)
  return (
    <Card>
      <CardHead title={t('server.costs')} />
      <CardBody className="grid gap-2">
        <DetailList
          details={[
            { label: t('server.this_month'), value: month },
            { label: t('server.per_month'), value: formatMoney(Number(price_monthly), price_currency) },
          ]}
        />
        {oversized ? <p className="text-table text-muted">{t('server.oversized')}</p> : null}
      </CardBody>
    </Card>
  )
}
