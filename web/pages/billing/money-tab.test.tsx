import { act } from 'react'
import { expect, test, vi } from 'vitest'
import type { SubscriptionStatus } from '#shared/responses/billing.ts'
import { ApiError } from '#web/lib/api/api-error.ts'
import { testRender } from '#web/lib/browser/test-render.ts'
import { MemoryRouter } from 'react-router'
import { MoneyTab } from './money-tab.tsx'

const page = testRender()
const reload = vi.fn(() => Promise.resolve())

function draw(status: Partial<SubscriptionStatus> | undefined, error: ApiError | null = null): string {
  act(() =>
    page.root.render(
      <MemoryRouter>
        <MoneyTab
          about="payment-methods"
          subscription={{ status: status as SubscriptionStatus | undefined, error, reload }}
        />
      </MemoryRouter>,
    ),
  )
  return page.place.textContent
}

test('says why there is nothing, once it is known', () => {
  expect(draw(undefined)).toBe('')
  expect(draw({ payments: false })).toContain('No payment method needed')
  expect(draw({ payments: true })).toContain('No payment methods')
})

test('a plan that could not be read is said with a way to try again, not waited for', () => {
  expect(draw(undefined, new ApiError('Away'))).toContain('Error Fetching Subscription Status')
  act(() => page.place.querySelector('button')?.click())
  expect(reload).toHaveBeenCalledOnce()
  // Previously loaded data stays.
  expect(draw({ payments: false }, new ApiError('Away'))).toContain('No payment method needed')
})
