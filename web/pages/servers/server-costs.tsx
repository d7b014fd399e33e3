import type { Server } from '#shared/doctypes/server.ts'
import { serverCosts } from '#shared/responses/servers.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { formatMoney } from '#web/lib/i18n/format.ts'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { DetailList } from '#web/ui/detail-list.tsx'
import { t } from './messages.ts'

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
