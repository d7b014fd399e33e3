import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { ApiError } from '#web/lib/api/api-error.ts'
import { DenialReason } from './denial-reason.tsx'

const api = apiServer()
beforeEach(() => {
  const message = { allowed: false, rule: 'x', text: 'You can’t see the site blog: you are a member.' }
  api.on('explain_permission', () => ({ message }))
})

const reason = (httpStatus: number) => (
  <DenialReason error={new ApiError('Refused.', { httpStatus })} doctype="Site" name="abc" />
)
const why = () => screen.queryByRole('button', { name: 'Why?' })
const pressWhy = () => userEvent.click(screen.getByRole('button', { name: 'Why?' }))

test('the rule behind a denial is shown on request', async () => {
  render(reason(403))
  await pressWhy()
  const text = await screen.findByText('You can’t see the site blog: you are a member.')
  expect(text.closest('[lang]')?.getAttribute('lang')).toBe('en')
  expect(api.calls).toMatchObject([
    { name: 'explain_permission', body: { operation: 'read', doctype: 'Site', name: 'abc' } },
  ])
  expect(why()).toBeNull()
})

test('"Why?" is only offered for denials', () => {
  render(reason(404))
  expect(why()).toBeNull()
})
