import { act, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, test, vi } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { ApiError } from '#web/lib/api/api-error.ts'
import { ErrorPanel } from './error-panel.tsx'

const api = apiServer()
beforeEach(() => {
  const message = { allowed: false, rule: 'x', text: 'You can’t see the site blog: you are a member.' }
  api.on('explain_permission', () => ({ message }))
})

const panel = (httpStatus: number, wanted?: { doctype: string; name: string }) => (
  <ErrorPanel title="No" error={new ApiError('Refused.', { httpStatus })} {...(wanted ? { wanted } : {})} />
)
const why = () => screen.queryByRole('button', { name: 'Why?' })
const pressWhy = () => userEvent.click(screen.getByRole('button', { name: 'Why?' }))

test('a refusal explains itself on request', async () => {
  render(panel(403, { doctype: 'Site', name: 'abc' }))
  await pressWhy()
  const said = await screen.findByText('You can’t see the site blog: you are a member.')
  expect(said.closest('[lang]')?.getAttribute('lang')).toBe('en')
  expect(api.calls).toMatchObject([
    { name: 'explain_permission', body: { operation: 'read', doctype: 'Site', name: 'abc' } },
  ])
  expect(why()).toBeNull()
})

test('Retry says that it is at it, asks once, and can be pressed again', async () => {
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

test('"Why?" is only offered for denials of a known document', () => {
  const { rerender } = render(panel(404, { doctype: 'Site', name: 'abc' }))
  expect(why()).toBeNull()
  rerender(panel(403))
  expect(why()).toBeNull()
})
