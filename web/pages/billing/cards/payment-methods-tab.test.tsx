import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { billingProfile, profileMethod } from '#tests/web/billing-profile.ts'
import { fakePaymentScript } from '#tests/web/payment-script.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { PaymentMethodsTab } from './payment-methods-tab.tsx'

const api = apiServer()
const script = fakePaymentScript()
beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 15) }))
afterEach(() => vi.useRealTimers())

const visa = { name: 'pm-1', brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2030, is_default: 0 }
const amex = { name: 'pm-2', brand: 'amex', last4: '0005', exp_month: 11, exp_year: 2026, is_default: 1 }
const old = { name: 'pm-3', brand: 'maestro', last4: '1111', exp_month: 1, exp_year: 2026, is_default: 0 }

function setup(rows: readonly object[], at = '/') {
  const stored = [...rows]
  api.on('frappe.client.get_list', () => ({ message: stored }))
  api.on(profileMethod, () => ({ message: billingProfile('Afghanistan') }))
  api.on('easydash.api.payment_subscription.get_countries_list', () => ({
    message: [{ name: 'Afghanistan', code: 'af' }],
  }))
  const onChanged = vi.fn<() => Promise<void>>(() => Promise.resolve())
  const { user } = renderAs(owner, <PaymentMethodsTab provider={script.provider} onChanged={onChanged} />, at)
  return { user, stored, onChanged }
}

const rows = () => screen.getAllByRole('listitem').map((row) => row.textContent)

test('the default card comes first, and cards that expire or have expired say so', async () => {
  setup([visa, amex, old])
  await screen.findByText('Visa ending 4242')
  expect(rows()).toEqual([
    expect.stringContaining('American Express ending 0005 DefaultExpires soon: 11/2026'),
    expect.stringContaining('Visa ending 4242 Expires 12/2030'),
    expect.stringContaining('maestro ending 1111 Expired: 01/2026'),
  ])
})

test('another card is made the default, and the list is read again', async () => {
  const { user, stored, onChanged } = setup([visa, amex])
  const bodies: unknown[] = []
  api.on('run_doc_method', ({ body }) => {
    bodies.push(body)
    stored.splice(0, 2, { ...visa, is_default: 1 }, { ...amex, is_default: 0 })
    return { message: null }
  })
  await user.click(await screen.findByRole('button', { name: 'Make default: Visa ending 4242' }))
  await waitFor(() => expect(rows()[0]).toContain('Visa ending 4242 Default'))
  expect(bodies).toMatchObject([{ dt: 'Payment Method', dn: 'pm-1', method: 'set_default' }])
  expect(onChanged).toHaveBeenCalledOnce()
})

test('a card is removed after a question, which shows why it cannot be', async () => {
  const { user, stored } = setup([visa, amex])
  const message = 'The plan is paid with this card. Add another payment method first.'
  api.on('run_doc_method', () => ({ status: 417, body: { message } }))
  await user.click(await screen.findByRole('button', { name: 'Remove American Express ending 0005' }))
  const dialog = within(screen.getByRole('alertdialog'))
  expect(screen.getByRole('alertdialog').textContent).toContain('the next bill cannot be paid')
  await user.click(dialog.getByRole('button', { name: 'Remove' }))
  expect((await dialog.findByRole('alert')).textContent).toBe(message)
  api.on('run_doc_method', () => {
    stored.splice(1, 1)
    return { message: null }
  })
  await user.click(dialog.getByRole('button', { name: 'Remove' }))
  await waitFor(() => expect(screen.queryByText('American Express ending 0005')).toBeNull())
})

test('the script of the provider is loaded with the dialog, and its card is in the list afterward', async () => {
  const { user, stored } = setup([])
  await user.click(await screen.findByRole('button', { name: 'Add payment method' }))
  await waitFor(() => expect(script.loaded).toEqual([script.provider.script_url]))
  api.on('easydash.api.payment_subscription.create_setup_intent', () => ({ message: 'secret' }))
  api.on('easydash.api.payment_subscription.add_payment_method', () => {
    stored.push(visa)
    return { message: { payment_method: 'pm-1' } }
  })
  await screen.findByText('Afghanistan')
  await waitFor(() => expect(screen.queryByText('Loading the card field…')).toBeNull())
  act(() => script.enterCard())
  for (const label of ['Name on Card', 'Address', 'City', 'State', 'Postal Code / ZIP'])
    fireEvent.change(screen.getByLabelText(label), { target: { value: 'x' } })
  await user.click(screen.getByRole('button', { name: 'Verify and Add Method' }))
  expect(await screen.findByText('Visa ending 4242')).toBeTruthy()
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('a page that may not load the script opens the billing page as a document of its own, with the dialog', async () => {
  window.easydash = { payment_script: false }
  const assign = vi.spyOn(location, 'assign').mockImplementation(() => undefined)
  const { user } = setup([visa])
  await user.click(await screen.findByRole('button', { name: 'Add payment method' }))
  expect(assign).toHaveBeenCalledExactlyOnceWith('/web/billing?add=1#payment-methods')
  expect([screen.queryByRole('dialog'), script.loaded.length]).toEqual([null, 0])
})

test('the address of that document opens the dialog, once', async () => {
  const { user } = setup([visa], '/billing?add=1#payment-methods')
  expect(await screen.findByRole('dialog', { name: 'Add Payment Method' })).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})
