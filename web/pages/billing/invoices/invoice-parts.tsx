import { FileDown } from 'lucide-react'
import type { DisputeState, Invoice } from '#shared/doctypes/invoice.ts'
import { formatDay } from '#web/lib/i18n/format-day.ts'
import { formatMoney } from '#web/lib/i18n/format.ts'
import { tInvoice } from './messages.ts'

/** "Nov 1, 2026 to Dec 1, 2026"; '' if the provider named none. */
export function formatPeriod({ period_start, period_end }: Partial<Invoice>): string {
  return period_start && period_end
    ? tInvoice('invoices.from_to', { from: formatDay(period_start), to: formatDay(period_end) })
    : formatDay(period_start ?? period_end)
}

/** Number of an invoice. Drafts at the provider have none. */
export const invoiceNumber = ({ number }: Partial<Invoice>): string => number || tInvoice('invoices.draft')

/** What came back of an invoice, or may, as lines of text. */
function cameBack({ refunded, credited, dispute, currency }: Partial<Invoice>): string[] {
  const money = (amount: number) => formatMoney(amount, currency ?? '')
  return [
    ...(refunded === null ? [tInvoice('invoices.refunds_unknown')] : []),
    ...(refunded ? [tInvoice('invoices.refunded', { amount: money(refunded) })] : []),
    // Some of them say why something was refunded, so it is not to be added to that.
    ...(credited ? [tInvoice('invoices.credited', { amount: money(credited) })] : []),
    ...(dispute ? [disputeText(dispute)] : []),
  ]
}

/** How far a dispute is, from the view of who pays. */
export const disputeText = (dispute: DisputeState): string => tInvoice(`invoices.dispute_${dispute}`)

/** Total in the invoice's own currency, and what came back of it. */
export function InvoiceTotal({ invoice }: { invoice: Partial<Invoice> }) {
  const { total, currency } = invoice
  if (!currency) return null
  return (
    <span>
      <span className="whitespace-nowrap">{formatMoney(total, currency)}</span>
      {cameBack(invoice).map((text) => (
        <span key={text} className="block text-meta text-muted">
          {text}
        </span>
      ))}
    </span>
  )
}

/** Link to the PDF, which the server reads from the provider for the owner. */
export function InvoicePdf({ invoice, label }: { invoice: Partial<Invoice> & { name: string }; label?: string }) {
  return (
    <a
      href={`/private/invoices/${encodeURIComponent(invoice.name)}.pdf`}
      target="_blank"
      rel="noopener"
      className="link inline-flex items-center align-middle gap-1 touch:min-h-11"
      aria-label={tInvoice('invoices.pdf_of', { number: invoiceNumber(invoice) })}
    >
      <FileDown size={14} strokeWidth={1.75} aria-hidden="true" />
      {label ?? tInvoice('invoices.pdf_open')}
    </a>
  )
}
