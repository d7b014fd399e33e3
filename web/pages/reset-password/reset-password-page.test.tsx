import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { apiServer, type Reply } from '#tests/web/api.ts'
import { renderAs } from '#tests/web/screen.tsx'
import { signedOut } from '#web/lib/session/session.tsx'
import { ResetPasswordPage } from './reset-password-page.tsx'

const api = apiServer()
const gone: Reply = { status: 410, body: { exc_type: 'LinkExpired', exception: 'This link was used already.' } }

function setup(check: Reply, path = '/reset-password?key=of-the-mail'): void {
  api.on('easydash.api.account.check_password_link', () => check)
  renderAs(signedOut, <ResetPasswordPage />, path)
}

test('a link that no longer works says so at once, with the way to a new one, and asks for no password', async () => {
  setup(gone)
  expect(await screen.findByRole('heading', { name: 'This link does not work' })).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Get a new link' }).getAttribute('href')).toBe('/forgot-password')
  expect(screen.queryByLabelText('New password')).toBeNull()
  expect(api.calls.map(({ verb, body }) => [verb, body])).toContainEqual(['POST', { key: 'of-the-mail' }])
})

test('a link that works shows the form', async () => {
  setup({ message: null })
  expect(await screen.findByLabelText('New password')).toBeTruthy()
})

test('if nobody can say whether it works, the form is shown: the link is looked at again when it is sent', async () => {
  setup({ status: 429, body: { exc_type: 'RateLimitExceededError', exception: 'Too many.' } })
  expect(await screen.findByLabelText('New password')).toBeTruthy()
})

test('a link without its key is not asked about', () => {
  setup({ message: null }, '/reset-password')
  expect(screen.getByRole('heading', { name: 'This link does not work' })).toBeTruthy()
  expect(api.calls.filter(({ name }) => name.includes('check_password_link'))).toEqual([])
})
