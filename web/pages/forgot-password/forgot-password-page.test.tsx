import { act } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { testRender } from '#web/lib/browser/test-render.ts'
import { MemoryRouter } from 'react-router'
import { ForgotPasswordPage } from './forgot-password-page.tsx'

const drawn = testRender()
afterEach(() => {
  delete window.easydash
})

/** Text of the page before and after requesting a link. */
async function said(): Promise<[before: string, after: string]> {
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(JSON.stringify({ message: null }))))
  await act(async () => {
    drawn.root.render(
      <MemoryRouter initialEntries={['/forgot-password']}>
        <ForgotPasswordPage />
      </MemoryRouter>,
    )
    await Promise.resolve()
  })
  const before = drawn.place.textContent
  const email = drawn.place.querySelector('input')
  if (email) email.value = 'ann@acme.example'
  await act(async () => {
    drawn.place.querySelector('form')?.requestSubmit()
    await Promise.resolve()
  })
  await vi.waitFor(() => expect(drawn.place.textContent).toContain('If ann@acme.example has an account'))
  return [before, drawn.place.textContent]
}

test('a link is said to be on its way where mails leave', async () => {
  window.easydash = { mail_server: true }
  const [before, after] = await said()
  expect(before).toContain('We will send you a link')
  expect(after).toContain('a link is on its way')
})

test('without a mail server nothing is said to be sent, and who has the link', async () => {
  window.easydash = { mail_server: false }
  const [before, after] = await said()
  expect(before).not.toContain('send you')
  expect(after).toContain('ask whoever runs it')
  expect(after).not.toMatch(/on its way|mail folder|spam/)
})
