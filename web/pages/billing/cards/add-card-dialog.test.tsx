import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { billingProfile, profileMethod } from '#tests/web/billing-profile.ts'
import { fakePaymentScript } from '#tests/web/payment-script.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { AddCardDialog } from './add-card-dialog.tsx'

const api = apiServer()
const script = fakePaymentScript()
const methods = 'easydash.api.payment_subscription'

/** Where invoices go. */
let country = ''
beforeEach(() => {
  country = ''
})

function setup() {
  api.on(profileMethod, () => ({ message: billingProfile(country) }))
  api.on(`${methods}.get_countries_list`, () => ({
    message: [
      { name: 'Afghanistan', code: 'af' },
      { name: 'Germany', code: 'de' },
    ],
  }))
  api.on(`${methods}.create_setup_intent`, () => ({ message: 'seti_1_secret_2' }))
  api.on(`${methods}.add_payment_method`, () => ({ message: { payment_method: 'pm-1' } }))
  const onClose = vi.fn<() => void>()
  const onAdded = vi.fn<() => Promise<void>>(() => Promise.resolve())
  const { user } = renderAs(owner, <AddCardDialog provider={script.provider} onClose={onClose} onAdded={onAdded} />)
  return { user, onClose, onAdded }
}

const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label)
const enter = (label: string, value: string) => fireEvent.change(field(label), { target: { value } })
const alerts = () => screen.queryAllByRole('alert').map((alert) => alert.textContent)
const called = (name: string) => api.calls.filter((call) => call.name === `${methods}.${name}`)
const submit = async ({ user }: Pick<ReturnType<typeof setup>, 'user'>) =>
  await user.click(screen.getByRole('button', { name: 'Verify and Add Method' }))

/** Waits for the script and enters a card and an address. */
async function fill({ user }: ReturnType<typeof setup>): Promise<void> {
  await screen.findByText('Germany')
  await waitFor(() => expect(screen.queryByText('Loading the card field…')).toBeNull())
  act(() => script.enterCard())
  enter('Name on Card', 'Ann Owner')
  await user.selectOptions(field('Country'), 'de')
  enter('Address', 'Lane 1')
  enter('City', 'Bonn')
  enter('State', 'NRW')
  enter('Postal Code / ZIP', '53111')
}

test('every field is required, in the specified words, and the country begins with that of the organization', async () => {
  country = 'Germany'
  const dialog = setup()
  await waitFor(() => expect(field('Country').value).toBe('de'))
  await submit(dialog)
  expect(alerts()).toEqual([
    'Name on card is required',
    'Address is required',
    'City is required',
    'State is required',
    'Postal code is required',
  ])
  expect(document.activeElement).toBe(field('Name on Card'))
  expect(called('create_setup_intent')).toEqual([])
})

test('without a country of the organization it begins with af', async () => {
  setup()
  await screen.findByText('Germany')
  await waitFor(() => expect(api.calls.some(({ name }) => name === profileMethod)).toBe(true))
  expect(field('Country').value).toBe('af')
})

test('a verified card is added: the provider gets the address, the server its answer, and the dialog closes', async () => {
  const confirm = vi.fn<typeof script.confirmSetup>(script.confirmSetup)
  const dialog = setup()
  script.confirmSetup = confirm
  await fill(dialog)
  expect(script.loaded).toEqual([script.provider.script_url])
  await submit(dialog)
  await waitFor(() => expect(dialog.onClose).toHaveBeenCalledOnce())
  expect(dialog.onAdded).toHaveBeenCalledOnce()
  expect(confirm).toHaveBeenCalledExactlyOnceWith('seti_1_secret_2', {
    payment_method: {
      card: expect.anything(),
      billing_details: {
        name: 'Ann Owner',
        address: { line1: 'Lane 1', city: 'Bonn', state: 'NRW', country: 'DE', postal_code: '53111' },
      },
    },
  })
  expect(called('add_payment_method').map(({ body }) => body)).toEqual([
    { setupIntent: JSON.stringify({ id: 'seti_1', status: 'succeeded' }) },
  ])
})

test('a refusal of the provider is shown as it says it, what was entered stays, and the button says that it is busy', async () => {
  const dialog = setup()
  await fill(dialog)
  const answer = Promise.withResolvers<object>()
  script.confirmSetup = () => answer.promise
  await submit(dialog)
  expect(await screen.findByRole('button', { name: 'Processing...' })).toBeTruthy()
  await act(async () => answer.resolve({ error: { message: 'Your card was declined.' } }))
  expect(alerts()).toEqual(['Your card was declined.'])
  expect([field('Name on Card').value, field('Country').value, field('City').value]).toEqual([
    'Ann Owner',
    'de',
    'Bonn',
  ])
  expect([called('add_payment_method').length, dialog.onClose.mock.calls.length]).toEqual([0, 0])

  script.confirmSetup = () => Promise.resolve({ error: {} })
  await submit(dialog)
  await waitFor(() => expect(alerts()).toEqual(['An error occurred during card confirmation.']))
})

test('a card that was verified but not added is not verified again', async () => {
  const dialog = setup()
  await fill(dialog)
  const confirm = vi.fn<typeof script.confirmSetup>(script.confirmSetup)
  script.confirmSetup = confirm
  api.on(`${methods}.add_payment_method`, () => ({ status: 503, body: { message: 'Try later.' } }))
  await submit(dialog)
  await waitFor(() => expect(alerts()).toEqual(['Something went wrong. Please try again. Try later.']))
  api.on(`${methods}.add_payment_method`, () => ({ message: { payment_method: 'pm-1' } }))
  await submit(dialog)
  await waitFor(() => expect(dialog.onClose).toHaveBeenCalledOnce())
  expect(confirm).toHaveBeenCalledOnce()
})

test('without the script or a card nothing is sent; the script can be loaded again', async () => {
  script.loads = false
  const dialog = setup()
  expect(await screen.findByText(/did not load from Stripe/)).toBeTruthy()
  await screen.findByText('Germany')
  enter('Name on Card', 'Ann Owner')
  await dialog.user.selectOptions(field('Country'), 'de')
  for (const label of ['Address', 'City', 'State', 'Postal Code / ZIP']) enter(label, '1')
  await submit(dialog)
  expect(alerts()).toContain('Stripe has not loaded yet.')
  script.loads = true
  await dialog.user.click(screen.getByRole('button', { name: 'Try again' }))
  await waitFor(() => expect(screen.queryByText('Loading the card field…')).toBeNull())
  await submit(dialog)
  await waitFor(() => expect(alerts()).toEqual(['Card details are missing.']))
  expect(called('create_setup_intent')).toEqual([])
})

test('a card number in another field is refused before it is sent', async () => {
  const dialog = setup()
  await fill(dialog)
  enter('Address', '4242 4242 4242 4242')
  await submit(dialog)
  expect(alerts()).toEqual(['Enter card numbers only in the field for card details'])
  expect(called('create_setup_intent')).toEqual([])
})
