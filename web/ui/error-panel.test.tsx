import { act, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { ApiError } from '#web/lib/api/api-error.ts'
import { ErrorPanel } from './error-panel.tsx'

test('Retry is busy while it runs, ignores further clicks, and can be clicked again afterward', async () => {
  const asks: PromiseWithResolvers<void>[] = []
  const onRetry = vi.fn<() => Promise<void>>(() => {
    const one = Promise.withResolvers<void>()
    asks.push(one)
    return one.promise
  })
  render(<ErrorPanel title="No" error={new ApiError('Gone.')} onRetry={onRetry} />)
  const user = userEvent.setup()
  const retry = screen.getByRole('button', { name: 'Retry' })
  await user.click(retry)
  expect(retry.getAttribute('aria-busy')).toBe('true')
  await user.click(retry)
  expect(onRetry).toHaveBeenCalledTimes(1)
  await act(async () => asks[0]?.resolve())
  expect(retry.hasAttribute('aria-busy')).toBe(false)
  await user.click(retry)
  expect(onRetry).toHaveBeenCalledTimes(2)
})
