import { doctype, type Doc } from '../doctype.ts'
import { data, datetime, float, link, select } from '../fields.ts'
import { planNames } from '../rules/plans.ts'

const mirrored = { read_only: true, server_owned: true } as const
const text = { ...mirrored, refuses_card_numbers: true } as const

/** States of an invoice. Overdue: a payment was tried and failed. Void: nothing is to be paid any more. */
export const invoiceStatuses = ['Paid', 'Open', 'Overdue', 'Void'] as const

/** How far a dispute of a payment is, from the view of who was paid. Lost: the bank has paid it back. */
export const disputeStates = ['Open', 'Won', 'Lost'] as const

/** One of them. */
export type DisputeState = (typeof disputeStates)[number]

/**
 * An invoice of an organization. Rows mirror those of the payment provider, which numbers, sends and collects them; the PDF
 * is the provider's, too. Only the owner sees them.
 */
export const InvoiceDoctype = doctype('Invoice', {
  module: 'core',
  tenant: { kind: 'link', field: 'organization' },
  naming: 'random',
  title_field: 'number',
  plural: 'Invoices',
  track_activity: false,
  fields: {
    organization: link('Organization', { reqd: true, ...mirrored }),
    number: data({ ...text, in_list_view: true }),
    date: datetime({ ...mirrored, in_list_view: true }),
    period_start: datetime({ ...mirrored, label: 'From' }),
    period_end: datetime({ ...mirrored, label: 'To' }),
    plan: select(planNames, { ...mirrored, in_list_view: true, in_standard_filter: true }),
    /** In units of the currency, not in cents. */
    total: float({ ...mirrored, in_list_view: true, label: 'Amount' }),
    /** ISO 4217 code in upper case. */
    currency: data({ ...text, length: 3 }),
    status: select(invoiceStatuses, { ...mirrored, in_list_view: true, in_standard_filter: true }),
    /** What came back to the card that paid it; null: not known yet. */
    refunded: float({ ...mirrored, default: 0 }),
    /** What credit notes give back of it, to the card or otherwise. */
    credited: float({ ...mirrored, default: 0, label: 'Credit notes' }),
    dispute: select(disputeStates, { ...mirrored }),
    /** Its id at the provider. */
    provider_id: data({ ...text, hidden: true }),
    /** Id of its payment there: what disputes name. */
    payment_id: data({ ...text, hidden: true }),
  },
  list: { order_by: 'date desc' },
  permissions: {
    'Platform Admin': { read: true },
    Owner: { read: true },
  },
  indexes: [
    { fields: ['provider_id'], unique: true, where: 'provider_id is not null' },
    { fields: ['payment_id'], where: 'payment_id is not null' },
  ],
})

/** An invoice as mirrored. */
export type Invoice = Doc<typeof InvoiceDoctype>
