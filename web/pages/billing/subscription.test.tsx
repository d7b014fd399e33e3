import { QueryClientProvider } from '@tanstack/react-query'
import { act, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { dataClient } from '#web/lib/api/data-client.ts'
import type { SubscriptionStatus } from '#shared/responses/billing.ts'
import { useSubscription } from './subscription.ts'

const api = apiServer()
const status = 'easydash.easydash.doctype.subscription_organization.subscription_organization.get_subscription_status'
beforeEach(() => vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => vi.useRealTimers())

function Plan() {
  return <output>{useSubscription().status?.plan_name ?? 'nothing'}</output>
}

test('the plan is requested with its title, and not again on window focus', async () => {
  const plan: SubscriptionStatus = {
    organization: 'acme',
    user: owner.user,
    plans_enabled: true,
    plan_name: 'Pro',
    plan_cost: 20,
    currency: 'USD',
    is_free_tier: false,
    is_canceled: false,
    cancelation_date: null,
    is_grant_ending: false,
    is_scheduled: false,
    scheduled_plan: null,
    scheduled_date: null,
    features: [],
    usage: { site: 0, server: 0 },
    limits: { site: 0, server: 0 },
    overrides: { site: null, server: null },
    is_site_limit_reached: false,
    is_site_limit_exceeded: false,
    is_server_limit_reached: false,
    is_server_limit_exceeded: false,
    plans: [],
    payment_provider: null,
    payment: null,
    billed_price: null,
    billed_until: null,
  }
  api.on(status, () => ({ message: plan }))
  api.on('resource/:doctype/acme', () => ({ data: { name: 'acme', creation: '2026-01-01 00:00:00.000000' } }))
  renderAs(
    owner,
    <QueryClientProvider client={dataClient}>
      <Plan />
    </QueryClientProvider>,
  )
  expect(await screen.findByText('Pro')).toBeTruthy()
  const requests = () => api.calls.filter(({ name }) => name === status).length
  const rows = () => api.calls.length - requests()
  expect([requests(), rows()]).toEqual([1, 1])
  vi.setSystemTime(Date.now() + 60_000)
  await act(async () => void dispatchEvent(new Event('visibilitychange')))
  // What is read again in front is the row beside it.
  await waitFor(() => expect(rows()).toBe(2))
  expect(requests()).toBe(1)
})
