import { screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import type { User } from '#shared/doctypes/user.ts'
import { apiServer } from '#tests/web/api.ts'
import { member, renderAs } from '#tests/web/screen.tsx'
import { MailsCard } from './mails-card.tsx'

const api = apiServer()
afterEach(() => {
  delete window.easydash
})

test.each([
  [true, /always sent/],
  [false, /a platform admin has them/],
])('security emails are said to be sent only where there is a mail server: %s', async (mail_server, text) => {
  window.easydash = { mail_server }
  const user = { name: member.user, accept_newsletter: 0 } as User
  api.on('resource/User/:name', () => ({ data: user }))
  api.on('resource/User%20Meta/:name', () => ({ data: { name: member.user, preferences: null } }))
  renderAs(member, <MailsCard user={user} />)
  expect(await screen.findByText(/^New devices/)).toHaveProperty('textContent', expect.stringMatching(text))
})

test('which notifications come by email, too, is stored with the account', async () => {
  const account = { name: member.user, accept_newsletter: 0 } as User
  api.on('resource/User/:name', () => ({ data: account }))
  api.on('resource/User%20Meta/:name', ({ body }) => ({
    data: { name: member.user, preferences: { single_keys: false }, ...(body as object | null) },
  }))
  const { user } = renderAs(member, <MailsCard user={account} />)
  const choice = screen.getByRole('combobox', { name: 'Notifications' })
  await vi.waitFor(() => expect(choice).toHaveProperty('disabled', false))
  expect(choice).toHaveProperty('value', 'critical')
  await user.selectOptions(choice, 'All')
  await vi.waitFor(() =>
    expect(api.calls.at(-1)?.body).toEqual({ preferences: { single_keys: false, notification_mails: 'all' } }),
  )
  expect(choice).toHaveProperty('value', 'all')
})
