import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Texts about invoices and purchases. */
export const tInvoice = createCatalog({
  'invoices.error': 'The invoices did not load',
  'invoices.empty_title': 'No invoices',
  'invoices.empty': 'The first one appears here when a paid plan begins.',
  'invoices.plans': 'See the plans',
  'invoices.draft': 'Not numbered yet',
  'invoices.period': 'Period',
  'invoices.from_to': '{from} to {to}',
  'invoices.total': 'Total',
  'invoices.refunded': '{amount} refunded',
  'invoices.issued': 'Issued',
  'invoices.pdf': 'PDF',
  'invoices.pdf_of': 'PDF of invoice {number}',
  'invoices.csv': 'Download CSV',
  'invoices.csv_failed': 'The CSV file was not made',
  'invoices.csv_from': 'Period from',
  'invoices.csv_to': 'Period to',
  'invoices.csv_currency': 'Currency',
  'invoices.csv_refunded': 'Refunded',

  'purchases.label': 'Purchases',
  'purchases.error': 'The purchases did not load',
  'purchases.empty_title': 'No purchases',
  'purchases.empty': 'Paid invoices appear here.',
  'purchases.date': 'Date',
  'purchases.item': 'Item',
  'purchases.item_of': '{plan} plan, {period}',
  'purchases.amount': 'Amount',
  'purchases.status': 'Status',
  'purchases.invoice': 'Invoice',
})
