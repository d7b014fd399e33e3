import { screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
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
  renderAs(member, <MailsCard user={user} />)
  expect(await screen.findByText(/^New devices/)).toHaveProperty('textContent', expect.stringMatching(text))
})
