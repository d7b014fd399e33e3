import { act } from 'react'
import { MemoryRouter } from 'react-router'
import { beforeEach, expect, test, vi } from 'vitest'
import { testRender } from '#web/lib/browser/test-render.ts'
import { sessionSource } from '#web/lib/session/load-session.ts'
import { SessionProvider } from '#web/lib/session/session.tsx'
import { InvitationPage } from './invitation-page.tsx'

const invited = 'nia@harbour.example'
const facts = {
  organization: 'acme',
  organization_title: 'Acme Studio',
  invited_by: 'Ann Lee',
  user: invited,
  organization_role: 'Organization Manager',
  status: 'pending',
  expires: '2030-01-02 03:04:05.000000',
}
interface SummaryCard {
  status?: number
  body: unknown
}
const message = (value: unknown): SummaryCard => ({ body: { message: value } })

const drawn = testRender()
let asked: string[]
let token = 0

/** Stubs fetch with responses by the last segment of the method's name. */
function serve(answers: Record<string, SummaryCard>): void {
  vi.stubGlobal('fetch', (path: string) => {
    const name = path.split('?')[0]?.split(/[./]/).at(-1) ?? ''
    asked.push(name)
    const { status = 200, body } = answers[name] ?? message(null)
    return Promise.resolve(new Response(JSON.stringify(body), { status }))
  })
}

/** Opens the page; signed out without `user`. */
async function open(
  invitation: Partial<typeof facts> | SummaryCard,
  person: { user?: string; verified?: boolean; organizations?: string[] } = {},
): Promise<void> {
  const { user, verified = true, organizations = [] } = person
  document.cookie = `user_id=${user ?? 'Guest'}`
  serve({
    check_invitation: 'body' in invitation ? invitation : message({ ...facts, ...invitation }),
    get_logged_user: message(user),
    is_verified: message(verified),
    get_current_user_organization_metadata: message({
      org_slug: organizations[0] ?? null,
      org_role: 'Organization User',
      available_orgs: organizations.map((name) => ({ name, title: name, role: 'Organization User' })),
      is_owner: false,
    }),
    accept_invitation: message({ organization: 'acme' }),
    decline_invitation: message(null),
  })
  // Each token is only requested once, so use a new one each time.
  token += 1
  await act(async () => {
    drawn.root.render(
      <MemoryRouter initialEntries={[`/invitation?token=t${token}`]}>
        <SessionProvider source={sessionSource}>
          <InvitationPage />
        </SessionProvider>
      </MemoryRouter>,
    )
    await Promise.resolve()
  })
  await vi.waitFor(() => expect(drawn.place.querySelector('h1')?.textContent).not.toContain('Looking'))
}
const heading = () => drawn.place.querySelector('h1')?.textContent
const button = (name: string) => [...drawn.place.querySelectorAll('button')].find((one) => one.textContent === name)
const links = () =>
  [...drawn.place.querySelectorAll('main a')].map((one) => [one.textContent, one.getAttribute('href')])
const press = (name: string) =>
  act(async () => {
    button(name)?.click()
    await Promise.resolve()
  })

beforeEach(() => {
  asked = []
})

test('signed out: who, which organization, as what; sign up or log in, and come back', async () => {
  await open({})
  expect(heading()).toBe('Join Acme Studio')
  expect(drawn.place.textContent).toContain('Ann Lee invited you')
  expect(drawn.place.textContent).toContain('Manager')
  expect(links()).toEqual([
    ['Create an account', `/signup?invite_token=t${token}`],
    ['Log in', `/login?next=${encodeURIComponent(`/invitation?token=t${token}`)}`],
  ])
  expect(button('Accept')).toBeUndefined()
})

test('the right person accepts or declines', async () => {
  await open({}, { user: invited })
  await vi.waitFor(() => expect(button('Accept')).toBeDefined())
  await press('Decline')
  await vi.waitFor(() => expect(heading()).toBe('You declined'))
  expect(asked).toContain('decline_invitation')
})

test('somebody else is told whose it is and can log out', async () => {
  await open({}, { user: 'eve@example.com', organizations: ['globex'] })
  await vi.waitFor(() => expect(drawn.place.textContent).toContain('You are logged in as eve@example.com'))
  expect(drawn.place.textContent).toContain(invited)
  expect(button('Accept')).toBeUndefined()
  await press('Log out')
  await vi.waitFor(() => expect(asked).toContain('logout'))
})

test('an unverified person is sent to the confirmation', async () => {
  await open({}, { user: invited, verified: false })
  await vi.waitFor(() => expect(drawn.place.textContent).toContain('Confirm your email first'))
  expect(links()).toEqual([['Go to the confirmation', '/verify-email']])
})

test('a member has nothing to accept', async () => {
  await open({ status: 'verified' }, { user: invited, organizations: ['acme'] })
  await vi.waitFor(() => expect(heading()).toBe('You are in Acme Studio already'))
})

test.each([
  ['verified', 'This invitation was used already'],
  ['expired', 'This invitation has expired'],
])('%s, signed out', async (status, title) => {
  await open({ status })
  expect(heading()).toBe(title)
  expect(links()).toEqual([['Log in', '/login']])
})

test('a link that is not valid any more says why', async () => {
  const text = 'This invitation is not valid any more: it was withdrawn, or a newer link replaced it.'
  const server = JSON.stringify([JSON.stringify({ message: text })])
  await open({ status: 410, body: { exc_type: 'LinkExpired', _server_messages: server } } as SummaryCard)
  expect(heading()).toBe('This invitation does not work')
  expect(drawn.place.querySelector('[role=alert]')?.textContent).toContain('withdrawn')
})
