import { screen, waitFor } from '@testing-library/react'
import { QueryClientProvider } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import type { Invoice } from '#shared/doctypes/invoice.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { dataClient } from '#web/lib/api/data-client.ts'
import { saveText } from '#web/lib/browser/save-file.ts'
import { InvoicesTab } from './invoices-tab.tsx'
import { PurchasesTab } from './purchases-tab.tsx'

vi.mock('#web/lib/browser/save-file.ts', () => ({ saveText: vi.fn<typeof saveText>() }))

const api = apiServer()
const invoice: Partial<Invoice> = {
  name: 'inv/1',
  number: 'ACME-0001',
  date: '2026-11-01 10:00:00.000000',
  period_start: '2026-11-01 00:00:00.000000',
  period_end: '2026-12-01 00:00:00.000000',
  plan: 'Growth',
  total: 20.97,
  refunded: 0,
  credited: 0,
  dispute: null,
  currency: 'EUR',
  status: 'Paid',
}

function setup(piece: React.ReactNode, rows: readonly object[]) {
  api.on('frappe.client.get_list', () => ({ message: rows }))
  api.on('frappe.client.get_count', () => ({ message: rows.length }))
  api.on('resource/:doctype/:name', () => ({ data: { name: owner.user, preferences: null } }))
  return renderAs(owner, <QueryClientProvider client={dataClient}>{piece}</QueryClientProvider>)
}

test('an invoice has its amount in its own currency, its state, and a PDF through our own address', async () => {
  setup(<InvoicesTab />, [
    invoice,
    { ...invoice, name: 'inv-2', number: null, currency: 'USD', total: 12, status: 'Overdue', credited: 4 },
    { ...invoice, name: 'inv-3', number: 'ACME-0003', refunded: null },
  ])
  const link = await screen.findByRole('link', { name: 'Open the PDF of invoice ACME-0001' })
  expect(link.getAttribute('href')).toBe('/private/invoices/inv%2F1.pdf')
  for (const text of ['€20.97', '$12', 'Paid', 'Overdue', 'Not numbered yet', 'Credit notes: $4'])
    expect(screen.getAllByText(text).length).toBeGreaterThan(0)
  expect(screen.getAllByText('Nov 1, 2026 to Dec 1, 2026')).toHaveLength(3)
  expect(screen.getAllByText('Refunds not known yet')).toHaveLength(1)
})

test('the CSV file has every listed invoice, with numbers to count with', async () => {
  const { user } = setup(<InvoicesTab />, [
    invoice,
    { ...invoice, name: 'inv-2', refunded: 7, credited: 5, dispute: 'Open' },
  ])
  await user.click(await screen.findByRole('button', { name: 'Download CSV' }))
  await waitFor(() => expect(saveText).toHaveBeenCalledOnce())
  const [name, text] = vi.mocked(saveText).mock.calls[0] ?? []
  expect(name).toBe('invoices.csv')
  expect(text?.split('\r\n')).toEqual([
    '\uFEFFNumber,Issued,Period from,Period to,Plan,Total,Refunded,Credit notes,Currency,Status,Dispute',
    'ACME-0001,2026-11-01,2026-11-01,2026-12-01,Growth,20.97,0,0,EUR,Paid,',
    'ACME-0001,2026-11-01,2026-11-01,2026-12-01,Growth,20.97,7,5,EUR,Paid,Disputed at the bank',
    '',
  ])
})

test('purchases are the paid invoices, each with the invoice it belongs to', async () => {
  setup(<PurchasesTab />, [{ ...invoice, refunded: 5, credited: 5, dispute: 'Lost' }])
  const link = await screen.findByRole('link', { name: 'Open the PDF of invoice ACME-0001' })
  expect(link.textContent).toBe('ACME-0001')
  expect(screen.getByText('Growth plan, Nov 1, 2026 to Dec 1, 2026')).toBeTruthy()
  expect(screen.getByText('€5 refunded')).toBeTruthy()
  expect(screen.getByText('Dispute closed: paid back')).toBeTruthy()
  expect(screen.getByText('Credit notes: €5')).toBeTruthy()
  const lists = api.calls.filter(({ name }) => name === 'frappe.client.get_list')
  expect(lists.map(({ body }) => body['filters'])).toEqual([[['status', '=', 'Paid']]])
})
