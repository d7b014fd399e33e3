import { ShoppingBag } from 'lucide-react'
import type { Invoice } from '#shared/doctypes/invoice.ts'
import { ColumnRows, type RowColumn } from '#web/documents/list/column-rows.tsx'
import { DocStatus } from '#web/documents/values/cells.tsx'
import { useAllRows } from '#web/lib/api/all-rows.ts'
import type { RowOf } from '#web/lib/api/list-rows.ts'
import { formatDay } from '#web/lib/i18n/format-day.ts'
import { ButtonLink } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { formatPeriod, invoiceNumber, InvoicePdf, InvoiceTotal } from './invoice-parts.tsx'
import { tInvoice } from './messages.ts'

type Purchase = RowOf<Invoice>

const request = {
  fields: [
    ...['name', 'number', 'date', 'period_start', 'period_end', 'plan', 'total'],
    ...['refunded', 'credited', 'dispute', 'currency', 'status'],
  ],
  filters: [['status', '=', 'Paid']],
  order_by: 'date desc',
} as const

const columns: readonly RowColumn<Purchase>[] = [
  { key: 'date', head: tInvoice('purchases.date'), cell: ({ date }) => formatDay(date) },
  {
    key: 'item',
    head: tInvoice('purchases.item'),
    cell: (row) => tInvoice('purchases.item_of', { plan: row.plan ?? '', period: formatPeriod(row) }),
  },
  {
    key: 'amount',
    head: tInvoice('purchases.amount'),
    right: true,
    cell: (row) => <InvoiceTotal invoice={row} />,
  },
  {
    key: 'status',
    head: tInvoice('purchases.status'),
    cell: ({ status }) => <DocStatus doctype="Invoice" value={status ?? 'Paid'} />,
  },
  {
    key: 'invoice',
    head: tInvoice('purchases.invoice'),
    cell: (row) => <InvoicePdf invoice={row} label={invoiceNumber(row)} />,
  },
]

/** What the organization has paid for: its paid invoices. */
export function PurchasesTab() {
  const purchases = useAllRows<Purchase>('Invoice', request)
  if (purchases.error && !purchases.data)
    return <ErrorPanel title={tInvoice('purchases.error')} error={purchases.error} onRetry={() => purchases.reload()} />
  if (purchases.data?.length === 0)
    return (
      <Card>
        <EmptyState
          icon={<ShoppingBag size={20} strokeWidth={1.75} />}
          title={tInvoice('purchases.empty_title')}
          action={<ButtonLink to={{ hash: '#plans' }}>{tInvoice('invoices.plans')}</ButtonLink>}
        >
          {tInvoice('purchases.empty')}
        </EmptyState>
      </Card>
    )
  return (
    <ColumnRows
      label={tInvoice('purchases.label')}
      columns={columns}
      rows={purchases.data}
      expected={3}
      rowKey={({ name }) => name}
    />
  )
}
