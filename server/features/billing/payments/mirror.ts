import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import type { Card } from '#server/providers/stripe/cards.ts'
import type { ProviderInvoice } from '#server/providers/stripe/invoices.ts'
import { InvoiceDoctype, type Invoice } from '#shared/doctypes/invoice.ts'
import { PaymentMethodDoctype, type PaymentMethod } from '#shared/doctypes/payment-method.ts'
import { sameValue } from '#shared/same-value.ts'

/** Makes the cards of an organization those that the provider has. The caller has locked its subscription. */
export async function mirrorCards(tx: Tx, organization: string, cards: readonly Card[]): Promise<void> {
  const known = await tx.list(PaymentMethodDoctype, [['organization', '=', organization]])
  const rows = new Map(known.map((row) => [row.provider_id, row]))
  for (const row of known)
    if (!cards.some(({ id }) => id === row.provider_id)) await tx.delete(PaymentMethodDoctype, row.name)
  for (const card of cards) {
    const values = {
      brand: card.brand,
      last4: card.last4,
      exp_month: card.expMonth,
      exp_year: card.expYear,
      is_default: card.isDefault ? 1 : 0,
    } satisfies Partial<PaymentMethod>
    const row = rows.get(card.id)
    if (!row) await tx.insert(PaymentMethodDoctype, { organization, provider_id: card.id, ...values })
    else if (differs(row, values)) await tx.update(PaymentMethodDoctype, row.name, values)
  }
}

/** Adds and changes the invoices of an organization. None is ever removed. */
export async function mirrorInvoices(
  tx: Tx,
  organization: string,
  invoices: readonly ProviderInvoice[],
): Promise<void> {
  const known = await tx.list(InvoiceDoctype, [['organization', '=', organization]])
  const rows = new Map(known.map((row) => [row.provider_id, row]))
  // Oldest first, so that their rows are in their order.
  for (const one of invoices.toReversed()) {
    const row = rows.get(one.id)
    const values = {
      number: one.number,
      date: formatTimestamp(one.date),
      period_start: formatTimestamp(one.periodStart),
      period_end: formatTimestamp(one.periodEnd),
      plan: one.plan,
      total: one.total,
      currency: one.currency,
      status: one.status,
      // What is not known stays what it was, unless it has been paid since.
      refunded: one.refunded === undefined ? (row?.status === one.status ? row.refunded : null) : one.refunded,
      credited: one.credited,
      dispute: one.dispute === undefined ? (row?.dispute ?? null) : one.dispute,
      payment_id: one.payment,
    } satisfies Partial<Invoice>
    if (!row) await tx.insert(InvoiceDoctype, { organization, provider_id: one.id, ...values })
    else if (differs(row, values)) await tx.update(InvoiceDoctype, row.name, values)
  }
}

function differs<T extends object>(row: T, values: Partial<T>): boolean {
  return Object.entries(values).some(([field, value]) => !sameValue(row[field as keyof T], value))
}
