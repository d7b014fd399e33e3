import { screen, waitFor, within } from '@testing-library/react'
import { QueryClientProvider } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { fakePaymentScript } from '#tests/web/payment-script.ts'
import { sampleOf } from '#tests/web/sample.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { planChange, subscriptionStatus, userProfile, type SubscriptionStatus } from '#shared/responses/billing.ts'
import { defaultPlans } from '#shared/rules/plans.ts'
import { dataClient } from '#web/lib/api/data-client.ts'
import { useToasts } from '#web/lib/browser/toasts.ts'
import type { Session } from '#web/lib/session/session.tsx'
import { BillingPage } from './billing-page.tsx'

const api = apiServer()
const script = fakePaymentScript()
const ofSubscription = 'easydash.easydash.doctype.subscription_organization.subscription_organization'
const statusMethod = `${ofSubscription}.get_subscription_status`
const profileMethod = `${ofSubscription}.get_user_profile`

const growth: SubscriptionStatus = {
  ...(sampleOf(subscriptionStatus) as SubscriptionStatus),
  organization: 'acme',
  plan_name: 'Growth',
  plan_cost: 39,
  is_canceled: false,
  is_grant_ending: false,
  is_scheduled: false,
  usage: { site: 18, server: 7 },
  limits: { site: 25, server: 8 },
  overrides: { site: null, server: null },
  plans: defaultPlans.map((plan) => ({ ...plan, plan_name: plan.name })),
  payment_provider: null,
  payment: null,
  billed_price: null,
  billed_until: null,
}
const card = { name: 'pm-1', brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2030, is_default: 1 }
const change = { ...(sampleOf(planChange) as object), message: 'The plan is Pro.', payment: null }

function LastToast() {
  const { current } = useToasts()
  return <output aria-label="toast">{[current?.title, current?.action?.label].filter(Boolean).join(' ')}</output>
}

function setup(
  status: SubscriptionStatus,
  at: string,
  cards: readonly object[] = [card],
  person: Partial<Session> = {},
) {
  const current = { status }
  api.on(statusMethod, () => ({ message: current.status }))
  api.on('easydash.api.payment_subscription.get_countries_list', () => ({ message: [] }))
  api.on(profileMethod, () => ({ message: sampleOf(userProfile) }))
  api.on('resource/Subscription%20Organization/acme', () => ({
    data: { name: 'acme', creation: '2026-01-01 00:00:00.000000', modified: '2026-01-01 00:00:00.000000' },
  }))
  api.on('frappe.client.get_list', () => ({ message: cards }))
  api.on('easydash.api.billing.preview_plan', () => ({
    message: {
      due_now: 20.97,
      next_bill: { date: '2026-12-01 00:00:00.000000', amount: 89 },
      credit: 0,
      currency: 'EUR',
      lost: { site: 0, server: 0 },
    },
  }))
  const { user } = renderAs(
    { ...owner, ...person, subscription: status },
    <QueryClientProvider client={dataClient}>
      <BillingPage />
      <LastToast />
    </QueryClientProvider>,
    at,
  )
  return { user, current }
}
const paid = (change: Partial<SubscriptionStatus> = {}): SubscriptionStatus => ({
  ...growth,
  payment_provider: script.provider,
  billed_price: { amount: 39, currency: 'EUR' },
  billed_until: '2026-12-01 00:00:00.000000',
  ...change,
})
const tabs = async () => (await screen.findAllByRole('tab')).map((tab) => tab.textContent)
const region = (name: string) => screen.findByRole('region', { name })

test('where nothing is charged there is no tab of cards or invoices, and their addresses open the first tab', async () => {
  setup(growth, '/billing#payment-methods')
  await screen.findByText('Plans are free to choose here')
  expect(await tabs()).toEqual(['Profile', 'Plans', 'Activity'])
  expect(screen.getByRole('tab', { selected: true }).textContent).toBe('Profile')
  expect(api.calls.filter(({ name }) => name === 'frappe.client.get_list')).toEqual([])
  expect(await screen.findByText('Only the owner sees it.')).toBeTruthy()
  expect(document.body.textContent).not.toMatch(/invoice/i)
})

test('no price stands beside plans that are free to choose', async () => {
  setup(growth, '/billing#plans')
  expect((await region('Your plan')).textContent).toContain('Nothing is charged.')
  expect(document.body.textContent).not.toMatch(/€|request/)
})

test('a plan on request is asked for, and a change away from it is not offered to be undone', async () => {
  const { user, current } = setup(growth, '/billing#plans')
  api.on('easydash.api.billing.change_plan', () => ({ message: change }))
  expect((await screen.findByRole('link', { name: 'Contact' })).getAttribute('href')).toBe('/helpdesk')
  expect(screen.queryByRole('button', { name: /Enterprise/ })).toBeNull()
  const move = async (label: string) => {
    await user.click(await screen.findByRole('button', { name: label }))
    await user.selectOptions(screen.getByLabelText('When'), 'now')
    await user.click(screen.getByRole('button', { name: 'Move to Pro' }))
  }
  current.status = { ...growth, plan_name: 'Enterprise', plan_cost: null, limits: { site: 0, server: 0 } }
  await move('Upgrade to Pro')
  await waitFor(() => expect(screen.getByRole('status', { name: 'toast' }).textContent).toBe('Plan changed Undo'))
  await move('Downgrade to Pro')
  await waitFor(() => expect(screen.getByRole('status', { name: 'toast' }).textContent).toBe('Plan changed'))
})

test('a platform admin chooses a plan on request for their own organization, where nothing is paid', async () => {
  setup(growth, '/billing#plans', [], { platformAdmin: true })
  expect(await screen.findByRole('button', { name: 'Upgrade to Enterprise' })).toBeTruthy()
})

test('where nothing is limited there is one sentence, and no form', async () => {
  setup({ ...growth, plans_enabled: false }, '/billing#plans')
  expect(
    await screen.findByText('This installation has no plans: nothing is limited, and nothing is charged.'),
  ).toBeTruthy()
  expect(screen.queryByRole('link', { name: 'Manage plans' })).toBeNull()
  expect(screen.queryByLabelText('Organization Name')).toBeNull()
  expect(screen.queryByRole('tab')).toBeNull()
})

test('with a payment provider the tabs have the specified order, and nothing of the provider is loaded', async () => {
  setup(paid({ billed_price: { amount: 33, currency: 'EUR' } }), '/billing#plans')
  await screen.findByText('Acme pays in EUR, through Stripe')
  // An older price than the present one of 39.
  expect((await region('Your plan')).textContent).toContain('Growth, €33 per month')
  expect(await tabs()).toEqual(['Profile', 'Purchases', 'Invoices', 'Payment methods', 'Plans', 'Activity'])
  expect(await screen.findByText(/charged to Visa ending 4242 through Stripe\.$/)).toBeTruthy()
  expect(script.loaded).toEqual([])
})

test('an upgrade shows what the provider would charge before it is made', async () => {
  const { user } = setup(paid(), '/billing#plans')
  const changes: unknown[] = []
  api.on('easydash.api.billing.change_plan', ({ body }) => {
    changes.push(body)
    return { message: change }
  })
  await user.click(await screen.findByRole('button', { name: 'Upgrade to Pro' }))
  const preview = await screen.findByText('€20.97 today')
  expect(preview).toBeTruthy()
  expect(screen.getByText('Next bill, Dec 1, 2026')).toBeTruthy()
  await expect.poll(() => screen.queryAllByText('Charged to Visa ending 4242').length).toBe(2)
  expect(screen.queryByLabelText('When')).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Move to Pro' }))
  await waitFor(() => expect(changes).toEqual([{ plan: 'Pro', when: 'now' }]))
})

test('a plan that was given is not said to be charged, and a smaller one to be paid for does not wait', async () => {
  const { user } = setup(paid({ billed_until: null, billed_price: null }), '/billing#plans')
  const changes: unknown[] = []
  api.on('easydash.api.billing.change_plan', ({ body }) => {
    changes.push(body)
    return { message: change }
  })
  const summary = await region('Your plan')
  expect(summary.textContent).toContain('Nothing is charged.')
  expect(summary.textContent).not.toMatch(/€|per month/)
  await user.click(screen.getByRole('button', { name: 'Downgrade to Starter' }))
  await screen.findByText('€20.97 today')
  await user.click(screen.getByRole('button', { name: 'Move to Starter' }))
  await waitFor(() => expect(changes).toEqual([{ plan: 'Starter', when: 'now' }]))
  await user.click(await screen.findByRole('button', { name: 'Downgrade to Free' }))
  expect(await screen.findByText(/^If you move to Free on /)).toBeTruthy()
})

test('a plan that was given until a day is kept by choosing and paying for it', async () => {
  const given = { is_canceled: true, is_grant_ending: true, cancelation_date: '2026-12-31 23:59:59.000000' }
  const { user } = setup(paid({ billed_until: null, ...given }), '/billing#plans')
  const changes: unknown[] = []
  api.on('easydash.api.billing.change_plan', ({ body }) => {
    changes.push(body)
    return { message: change }
  })
  expect((await region('Your plan')).textContent).toContain('Free of charge until')
  await user.click(screen.getByRole('button', { name: 'Keep Growth' }))
  await screen.findByText('€20.97 today')
  await user.click(screen.getByRole('button', { name: 'Move to Growth' }))
  await waitFor(() => expect(changes).toEqual([{ plan: 'Growth', when: 'now' }]))
})

test('without a card a paid plan leads to the payment methods', async () => {
  const { user } = setup(paid({ plan_name: 'Free', plan_cost: 0 }), '/billing#plans', [])
  await user.click(await screen.findByRole('button', { name: 'Upgrade to Pro' }))
  expect(await screen.findByText('Add a payment method first.')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Move to Pro' })).toBeNull()
})

test('a payment that the bank asks about is confirmed at the provider, then read again', async () => {
  const { user, current } = setup(paid(), '/billing#plans')
  const open = { state: 'authentication_needed', amount: 20.97, currency: 'EUR', client_secret: 'pi_1_secret' } as const
  api.on('easydash.api.billing.change_plan', () => {
    current.status = paid({ payment: { ...open, grace_until: null } })
    return { message: { ...change, payment: { ...open, message: null } } }
  })
  const confirm = vi.fn<typeof script.confirmPayment>(() => Promise.resolve({ error: { message: 'It was refused.' } }))
  script.confirmPayment = confirm
  api.on('easydash.api.billing.refresh', () => ({ message: current.status }))
  await user.click(await screen.findByRole('button', { name: 'Upgrade to Pro' }))
  await screen.findByText('€20.97 today')
  await user.click(screen.getByRole('button', { name: 'Move to Pro' }))
  expect((await screen.findByText('It was refused.')).getAttribute('role')).toBe('alert')
  expect(await screen.findByText('Confirm the payment of €20.97')).toBeTruthy()
  expect(confirm).toHaveBeenCalledExactlyOnceWith('pi_1_secret')

  script.confirmPayment = () => {
    current.status = paid({ plan_name: 'Pro', plan_cost: 89, billed_price: { amount: 89, currency: 'EUR' } })
    return Promise.resolve({ paymentIntent: { id: 'pi_1' } })
  }
  await user.click(screen.getByRole('button', { name: 'Confirm payment' }))
  await waitFor(async () => expect((await region('Your plan')).textContent).toContain('Pro, €89 per month'))
  expect(screen.queryByText('Confirm the payment of €20.97')).toBeNull()
})

test('a failed payment is the state of the plan; a scheduled change can be taken back', async () => {
  const payment = {
    state: 'failed',
    amount: 39,
    currency: 'EUR',
    grace_until: '2026-12-08 00:00:00.000000',
    client_secret: null,
  } as const
  const { user } = setup(
    paid({ payment, is_scheduled: true, scheduled_plan: 'Starter', scheduled_date: '2026-12-01 00:00:00.000000' }),
    '/billing#plans',
  )
  const undone = vi.fn<() => { message: unknown }>(() => ({ message: change }))
  api.on('easydash.api.billing.undo_plan', undone)
  expect(within(await region('Your plan')).getByText('Payment failed')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Keep Growth' }))
  await waitFor(() => expect(undone).toHaveBeenCalledOnce())
})
