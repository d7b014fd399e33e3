import { screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import type { SubscriptionStatus } from '#shared/responses/billing.ts'
import { ApiError } from '#web/lib/api/api-error.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { PaymentsTab } from './payments-tab.tsx'

const reload = vi.fn(() => Promise.resolve())

const tab = (status: Partial<SubscriptionStatus> | undefined, error: ApiError | null = null) => (
  <PaymentsTab
    about="payment-methods"
    subscription={{ status: status as SubscriptionStatus | undefined, error, reload }}
  />
)

test('explains why there is nothing, once that is known', () => {
  const { container, rerender } = renderAs(owner, tab(undefined))
  expect(container.textContent).toBe('')
  rerender(tab({ payments: false }))
  expect(container.textContent).toContain('No payment method needed')
  rerender(tab({ payments: true }))
  expect(container.textContent).toContain('No payment methods')
})

test('a plan that failed to load shows an error with Retry', async () => {
  const { container, user, rerender } = renderAs(owner, tab(undefined, new ApiError('Away')))
  expect(container.textContent).toContain('Error Fetching Subscription Status')
  await user.click(screen.getByRole('button', { name: 'Retry' }))
  expect(reload).toHaveBeenCalledOnce()
  // Previously loaded data stays.
  rerender(tab({ payments: false }, new ApiError('Away')))
  expect(container.textContent).toContain('No payment method needed')
})
