import { Download, ReceiptText } from 'lucide-react'
import { useState } from 'react'
import { InvoiceDoctype, type Invoice } from '#shared/doctypes/invoice.ts'
import type { ListColumn } from '#web/documents/list/list-columns.ts'
import { DocumentList } from '#web/documents/list/list.tsx'
import type { ListRequest } from '#web/documents/query/list-request.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import type { RowOf } from '#web/lib/api/list-rows.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { formatDay } from '#web/lib/i18n/format-day.ts'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { downloadInvoices } from './invoice-csv.ts'
import { formatPeriod, invoiceNumber, InvoicePdf, InvoiceTotal } from './invoice-parts.tsx'
import { tInvoice } from './messages.ts'

const columns: readonly ListColumn<RowOf<Invoice>>[] = [
  { field: 'number', title: invoiceNumber },
  {
    field: 'period_start',
    label: tInvoice('invoices.period'),
    also: ['period_end'],
    card: true,
    render: (row) => <span className="whitespace-nowrap">{formatPeriod(row)}</span>,
  },
  { field: 'plan', card: true },
  {
    field: 'total',
    label: tInvoice('invoices.total'),
    also: ['currency', 'refunded', 'credited', 'dispute'],
    right: true,
    card: true,
    render: (row) => <InvoiceTotal invoice={row} />,
  },
  { field: 'status' },
  {
    field: 'date',
    label: tInvoice('invoices.issued'),
    from: 'desktop',
    card: true,
    render: ({ date }) => <span className="whitespace-nowrap">{formatDay(date)}</span>,
  },
  {
    field: 'name',
    label: tInvoice('invoices.pdf'),
    unsortable: true,
    card: true,
    render: (row) => <InvoicePdf invoice={row} />,
  },
]

/** The organization's invoices, with their PDFs. */
export function InvoicesTab() {
  return (
    <DocumentList
      type={InvoiceDoctype}
      columns={columns}
      savedViews={false}
      href={() => null}
      errorTitle={tInvoice('invoices.error')}
      toolbar={(conditions) => <CsvButton conditions={conditions} />}
      empty={
        <EmptyState
          icon={<ReceiptText size={20} strokeWidth={1.75} />}
          title={tInvoice('invoices.empty_title')}
          action={<ButtonLink to={{ hash: '#plans' }}>{tInvoice('invoices.plans')}</ButtonLink>}
        >
          {tInvoice('invoices.empty')}
        </EmptyState>
      }
    />
  )
}

/** Saves the listed invoices of all pages as a file. */
function CsvButton({ conditions }: { conditions: Pick<ListRequest, 'filters' | 'or_filters'> }) {
  const [busy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    try {
      await downloadInvoices(conditions)
    } catch (error) {
      showToast({
        title: tInvoice('invoices.csv_failed'),
        description: fullMessage(toApiError(error)),
        variant: 'danger',
      })
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button size="md" className="h-8! max-md:h-11!" busy={busy} onClick={() => void save()}>
      {busy ? null : <Download size={16} strokeWidth={1.75} aria-hidden="true" className="text-muted" />}
      {tInvoice('invoices.csv')}
    </Button>
  )
}
