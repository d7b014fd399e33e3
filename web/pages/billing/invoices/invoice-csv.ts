import { InvoiceDoctype, type Invoice } from '#shared/doctypes/invoice.ts'
import { csvFile } from '#shared/rules/csv.ts'
import { fieldTitle } from '#web/documents/query/list-query.ts'
import type { ListRequest } from '#web/documents/query/list-request.ts'
import { statusLabel } from '#web/documents/values/status-tones.ts'
import { fetchAllRows } from '#web/lib/api/all-rows.ts'
import type { RowOf } from '#web/lib/api/list-rows.ts'
import { saveText } from '#web/lib/browser/save-file.ts'
import { disputeText } from './invoice-parts.tsx'
import { tInvoice } from './messages.ts'

const fields = [
  ...['number', 'date', 'period_start', 'period_end', 'plan', 'total'],
  ...['refunded', 'credited', 'currency', 'status', 'dispute'],
]

/** A day of an API time, as spreadsheets read it. */
const day = (time: string | null | undefined): string => (time ?? '').slice(0, 10)

/** Invoices as CSV: days in ISO form and amounts as numbers, so that spreadsheets can count with them. */
export function invoicesCsv(invoices: readonly RowOf<Invoice>[]): string {
  const head = [
    fieldTitle(InvoiceDoctype, 'number'),
    tInvoice('invoices.issued'),
    tInvoice('invoices.csv_from'),
    tInvoice('invoices.csv_to'),
    fieldTitle(InvoiceDoctype, 'plan'),
    tInvoice('invoices.total'),
    tInvoice('invoices.csv_refunded'),
    tInvoice('invoices.csv_credited'),
    tInvoice('invoices.csv_currency'),
    fieldTitle(InvoiceDoctype, 'status'),
    tInvoice('invoices.csv_dispute'),
  ]
  const lines = invoices.map((invoice) => [
    invoice.number,
    day(invoice.date),
    day(invoice.period_start),
    day(invoice.period_end),
    invoice.plan,
    invoice.total,
    invoice.refunded,
    invoice.credited,
    invoice.currency,
    statusLabel('Invoice', 'status', invoice.status ?? ''),
    invoice.dispute ? disputeText(invoice.dispute) : '',
  ])
  return csvFile([head, ...lines])
}

/** Saves the invoices that a list shows, on all of its pages. @throws ApiError */
export async function downloadInvoices(conditions: Pick<ListRequest, 'filters' | 'or_filters'>): Promise<void> {
  const rows = await fetchAllRows<RowOf<Invoice>>('Invoice', { ...conditions, fields, order_by: 'date desc' })
  saveText('invoices.csv', invoicesCsv(rows), 'text/csv')
}
