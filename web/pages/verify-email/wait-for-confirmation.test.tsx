import { screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { member, renderAs } from '#tests/web/screen.tsx'
import { WaitForConfirmation } from './wait-for-confirmation.tsx'

const api = apiServer()
afterEach(() => {
  delete window.easydash
})

/** Labels of the buttons that lead to a link: at first, after a new one was requested, and while the address is changed. */
async function labelsOf(isMailed: boolean): Promise<string[]> {
  window.easydash = { mail_server: isMailed }
  const { email } = member
  api.on('easydash.api.account.waiting_for', () => ({ message: null }))
  api.on('easydash.api.user.is_verified', () => ({ message: false }))
  api.on('easydash.api.account.resend_verification', () => ({ message: { email, mail_server: isMailed } }))
  const { user } = renderAs({ ...member, verified: false }, <WaitForConfirmation />, '/verify-email')
  await screen.findByRole('button', { name: 'Change address' })
  const seen: string[] = []
  const look = (): HTMLElement => {
    const [button] = screen.getAllByRole('button')
    seen.push(button?.textContent.replace(/\d+ s/, 'n s') ?? '')
    return button as HTMLElement
  }
  await user.click(look())
  await screen.findByText(/There is a new link for|A new link is on its way/)
  look()
  await user.click(screen.getByRole('button', { name: 'Change address' }))
  look()
  return seen
}

test('with a mail server the buttons speak of sending', async () => {
  expect(await labelsOf(true)).toEqual(['Send again', 'Send again in n s', 'Send the link there'])
})

test('without a mail server no button speaks of sending', async () => {
  expect(await labelsOf(false)).toEqual(['Create a new link', 'Create a new link in n s', 'Create a link for it'])
})

test.each([false, true])(
  'only who can still be confirmed is told that the page continues (ended: %s)',
  async (ended) => {
    window.easydash = { mail_server: false }
    api.on('easydash.api.account.waiting_for', () => ({
      message: { organization: 'Acme Studio', invited_by: 'Olivia Owner', ended },
    }))
    api.on('easydash.api.user.is_verified', () => ({ message: false }))
    const { container } = renderAs({ ...member, verified: false }, <WaitForConfirmation />, '/verify-email')
    await screen.findByRole('heading', { name: ended ? 'Ask for a new link' : 'Waiting for confirmation' })
    expect(container.textContent.includes('This page continues once you are confirmed.')).toBe(!ended)
  },
)
