import { fireEvent, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { renderAs } from '#tests/web/screen.tsx'
import { signedOut } from '#web/lib/session/session.tsx'
import { ForgotPasswordPage } from './forgot-password-page.tsx'

const api = apiServer()
afterEach(() => {
  delete window.easydash
})

/** Text of the page before and after requesting a link. */
async function textsAround(): Promise<[before: string, after: string]> {
  api.on('frappe.core.doctype.user.user.reset_password', () => ({ message: null }))
  const { container } = renderAs(signedOut, <ForgotPasswordPage />, '/forgot-password')
  const before = container.textContent
  const email = screen.getByLabelText<HTMLInputElement>('Email')
  // As a password manager fills it: without an event.
  email.value = 'ann@acme.example'
  fireEvent.submit(email)
  await screen.findByText(/If ann@acme.example has an account/)
  return [before, container.textContent]
}

test('with a mail server the page says that a link was sent', async () => {
  window.easydash = { mail_server: true }
  const [before, after] = await textsAround()
  expect(before).toContain('We will send you a link')
  expect(before).toContain('Send link')
  expect(after).toContain('a link is on its way')
})

test('without a mail server the page says who has the link instead', async () => {
  window.easydash = { mail_server: false }
  const [before, after] = await textsAround()
  expect(before).not.toMatch(/send you|Send link/)
  expect(before).toContain('Create link')
  expect(after).toMatch(/Ask an admin of your organization.*ask a platform admin/)
  expect(after).not.toMatch(/on its way|mail folder|spam/)
})
