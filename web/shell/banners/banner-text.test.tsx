import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { member, owner, renderAs } from '#tests/web/screen.tsx'
import type { Session } from '#web/lib/session/session.tsx'
import { BannerText } from './banner-text.tsx'

const api = apiServer()
const subscription = {
  user: 'ada@acme.example',
  plans_enabled: true,
  plan_name: 'Pro',
  is_free_tier: false,
  is_canceled: true,
  cancelation_date: '2026-12-31',
  usage: { site: 1, server: 1 },
  limits: { site: 5, server: 5 },
}
beforeEach(() =>
  api.on('frappe.client.get_list', () => ({ message: [{ name: 'ada@acme.example', full_name: 'Ada Berg' }] })),
)
const setup = (session: Session, change: object = {}) =>
  renderAs(
    { ...session, subscription: { ...subscription, ...change } },
    <BannerText banner={{ kind: 'canceled', date: '2026-12-31' }} />,
  ).container

test('the owner can reactivate a canceled plan, in the specified words', () => {
  const banner = setup(owner)
  expect(banner.textContent).toMatch(/^Plan Expiring Soon: .+ Changed your mind\? Reactivate$/)
  expect(screen.getByRole('link').getAttribute('href')).toMatch(/\/billing#plans$/)
})

test('a plan that was given until a day is not reactivated, but paid for', () => {
  expect(setup(owner, { is_grant_ending: true }).textContent).toBe(
    'Plan Expiring Soon: Your plan is free of charge until Dec 31, 2026. Then it becomes Free, unless it is paid for. See plans',
  )
})

test('other roles see who can', async () => {
  const banner = setup(member)
  await waitFor(() => expect(banner.textContent).toMatch(/^Plan Expiring Soon: .+ Ask Ada Berg to reactivate it\.$/))
  expect(screen.queryByRole('link')).toBeNull()
})

test('a failed payment has its amount, the date, and the way to the payment methods', () => {
  const banner = { kind: 'payment', amount: 39, currency: 'EUR', date: '2026-12-31' } as const
  const { container } = renderAs(owner, <BannerText banner={{ ...banner, state: 'failed' }} />)
  expect(container.textContent).toBe(
    'Payment failed: €39 could not be charged. If it is not paid by Dec 31, 2026, you move to Free. Nothing is deleted. Update payment method',
  )
  expect(screen.getByRole('link').getAttribute('href')).toMatch(/\/billing#payment-methods$/)
})

test('a payment that the bank asks about leads to where it is confirmed', () => {
  const banner = { kind: 'payment', amount: 20.5, currency: 'USD', date: null } as const
  const { container } = renderAs(owner, <BannerText banner={{ ...banner, state: 'authentication_needed' }} />)
  expect(container.textContent).toBe('Payment not confirmed: Your bank wants you to confirm $20.50. Confirm payment')
  expect(screen.getByRole('link').getAttribute('href')).toMatch(/\/billing#plans$/)
})
