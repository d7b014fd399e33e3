import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { apiServer, type Reply } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { signedOut, type Session } from '#web/lib/session/session.tsx'
import { InvitationPage } from './invitation-page.tsx'

const invited = 'nia@harbour.example'
const invitationData = {
  organization: 'acme',
  organization_title: 'Acme Studio',
  invited_by: 'Ann Lee',
  user: invited,
  organization_role: 'Organization Manager',
  status: 'pending',
  expires: '2030-01-02 03:04:05.000000',
}

const api = apiServer()
let token = 0
afterEach(() => vi.unstubAllGlobals())

/** A session of somebody who is not in the organization yet. */
function signedIn(user: string, { verified = true, organizations = [] as string[] } = {}): Session {
  const [first] = organizations
  return {
    ...owner,
    user,
    email: user,
    verified,
    organization: first === undefined ? null : { name: first, title: first, role: 'Organization User', owner: false },
    organizations: organizations.map((name) => ({ name, title: name, role: 'Organization User' })),
  }
}

/** Opens the page for an invitation, or for an error reply of the server. */
async function open(session: Session, invitation: Partial<typeof invitationData> = {}, errorReply?: Reply) {
  api.on('easydash.api.account.check_invitation', () => errorReply ?? { message: { ...invitationData, ...invitation } })
  // Each token is only requested once, so use a new one each time.
  token += 1
  const { user, container } = renderAs(session, <InvitationPage />, `/invitation?token=t${token}`)
  await waitFor(() => expect(heading()).not.toMatch(/Looking/))
  return { user, container }
}
const heading = () => screen.getByRole('heading', { level: 1 }).textContent
const accept = () => screen.queryByRole('button', { name: 'Accept' })
const links = () =>
  within(screen.getByRole('main'))
    .queryAllByRole('link')
    .map((one) => [one.textContent, one.getAttribute('href')])
const requests = () => api.calls.map(({ name }) => name)

test('signed out: shows who invites to what in which role; signing up or logging in returns here', async () => {
  const { container } = await open(signedOut)
  expect(heading()).toBe('Join Acme Studio')
  expect(container.textContent).toContain('Ann Lee invited you')
  expect(container.textContent).toContain('Manager')
  expect(links()).toEqual([
    ['Create an account', `/signup?invite_token=t${token}`],
    ['Log in', `/login?next=${encodeURIComponent(`/invitation?token=t${token}`)}`],
  ])
  expect(accept()).toBeNull()
})

test('the invited user can accept or decline', async () => {
  api.on('easydash.api.account.decline_invitation', () => ({ message: null }))
  const { user } = await open(signedIn(invited))
  expect(accept()).not.toBeNull()
  await user.click(screen.getByRole('button', { name: 'Decline' }))
  await waitFor(() => expect(heading()).toBe('You declined'))
  expect(requests()).toContain('easydash.api.account.decline_invitation')
})

test('another user sees whose invitation it is and can log out', async () => {
  api.on('logout', () => ({ message: null }))
  const { user, container } = await open(signedIn('eve@example.com', { organizations: ['globex'] }))
  expect(container.textContent).toContain('You are logged in as eve@example.com')
  expect(container.textContent).toContain(invited)
  expect(accept()).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Log out' }))
  await waitFor(() => expect(requests()).toContain('logout'))
})

test('an unverified user is redirected to verification', async () => {
  vi.stubGlobal('easydash', { mail_server: true })
  const { container } = await open(signedIn(invited, { verified: false }))
  expect(container.textContent).toContain('Confirm your email first')
  expect(links()).toEqual([['Go to the confirmation', '/verify-email']])
})

test('without a mail server, colleagues are asked to confirm an unverified user, who can try again or log out', async () => {
  vi.stubGlobal('easydash', { mail_server: false })
  api.on('logout', () => ({ message: null }))
  const asked = () => requests().filter((name) => name === 'easydash.api.account.ask_for_confirmation')
  api.on('easydash.api.account.ask_for_confirmation', () => ({ status: 503, body: { message: 'Nobody was reached.' } }))
  const { user, container } = await open(signedIn(invited, { verified: false }))
  await screen.findByText(/Nobody was reached/)
  expect(container.textContent).not.toContain('Confirm your email')
  await user.click(screen.getByRole('button', { name: 'Ask them to confirm it' }))
  await waitFor(() => expect(asked()).toHaveLength(2))
  await user.click(await screen.findByRole('button', { name: 'Log out' }))
  await waitFor(() => expect(requests()).toContain('logout'))
})

test('a member sees that there is nothing to accept', async () => {
  await open(signedIn(invited, { organizations: ['acme'] }), { status: 'verified' })
  expect(heading()).toBe('You are in Acme Studio already')
})

test.each([
  ['verified', 'This invitation was used already'],
  ['expired', 'This invitation has expired'],
])('signed out with an invitation that is %s', async (status, title) => {
  await open(signedOut, { status })
  expect(heading()).toBe(title)
  expect(links()).toEqual([['Log in', '/login']])
})

test('an invalid link shows the reason', async () => {
  const text = 'This invitation is not valid any more: it was withdrawn, or a newer link replaced it.'
  const messages = JSON.stringify([JSON.stringify({ message: text })])
  await open(signedOut, {}, { status: 410, body: { exc_type: 'LinkExpired', _server_messages: messages } })
  expect(heading()).toBe('This invitation does not work')
  expect(screen.getByRole('alert').textContent).toContain('withdrawn')
})
