import { afterEach, expect, test, vi } from 'vitest'
import { sessionSource } from './load-session.ts'
import { takeInitialDoc } from '../api/initial-docs.ts'
import { signedOut, userFromCookie } from './session.tsx'

type Reply = { status?: number; body?: unknown } | 'silence'

/** Stubs fetch with responses by the last segment of the URL. */
function serve(replies: Record<string, Reply>): string[] {
  const requests: string[] = []
  vi.stubGlobal('fetch', (path: string) => {
    const name = path.split('?')[0]?.split(/[./]/).at(-1) ?? ''
    requests.push(name)
    const reply = replies[name] ?? { body: { message: null } }
    if (reply === 'silence') return Promise.reject(new TypeError('Failed to fetch'))
    return Promise.resolve(new Response(JSON.stringify(reply.body ?? {}), { status: reply.status ?? 200 }))
  })
  return requests
}
afterEach(() => vi.unstubAllGlobals())

const user = 'ann'
const orgs = [{ name: 'acme', title: 'Acme', role: 'Organization Admin' }]
const good: Record<string, Reply> = {
  get_logged_user: { body: { message: user } },
  get_current_user_organization_metadata: {
    body: { message: { org_slug: 'acme', org_role: 'Organization Admin', available_orgs: orgs } },
  },
  enabled_modules: { body: { message: { ee: true, wpc: false } } },
  is_verified: { body: { message: true } },
  get_subscription_status: { body: { message: { plan_name: 'Free' } } },
  ann: {
    body: {
      data: {
        email: user,
        full_name: 'Ann Lee',
        first_name: 'Ann',
        user_image: null,
        role_profile_name: 'Easydash Admin',
      },
    },
  },
  acme: { body: { data: { _owner: user } } },
}

test('loads everything the shell and the gates need', async () => {
  serve(good)
  const { session, problems } = await sessionSource.load(user, null)
  expect(problems).toEqual([])
  expect(session).toMatchObject({
    user,
    fullName: 'Ann Lee',
    firstName: 'Ann',
    verified: true,
    platformAdmin: true,
    modules: { ee: true, wpc: false },
    organization: { name: 'acme', title: 'Acme', role: 'Organization Admin', owner: true },
    subscription: { plan_name: 'Free' },
  })
})
test('members do not request the organization document', async () => {
  const member = { org_slug: 'acme', org_role: 'Organization User', available_orgs: orgs }
  const requests = serve({ ...good, get_current_user_organization_metadata: { body: { message: member } } })
  const { session } = await sessionSource.load(user, null)
  expect(requests).not.toContain('acme')
  expect(session.organization).toMatchObject({ role: 'Organization User', owner: false })
})
test('a 403 of whoami means signed out, whatever the other responses say', async () => {
  serve({ ...good, get_logged_user: { status: 403, body: { exc_type: 'PermissionError' } } })
  expect(await sessionSource.load(user, null)).toEqual({ session: signedOut, problems: [] })
})
test.each<[string, Reply]>([
  ['silence', 'silence'],
  ['a broken server', { status: 502 }],
])('%s is no answer about the session', async (_, reply) => {
  serve({ ...good, get_logged_user: reply })
  await expect(sessionSource.load(user, null)).rejects.toMatchObject({ name: 'ApiError' })
})
test('an empty response is reported in the client library’s words', async () => {
  serve({ ...good, get_logged_user: { status: 502 } })
  await expect(sessionSource.load(user, null)).rejects.toMatchObject({
    message: 'There was an error while fetching the logged in user',
  })
})
test.each([
  ['enabled_modules', 'Error fetching enabled modules'],
  [user, 'Error Fetching User Details'],
])('a failure of %s is reported with its specified title, without affecting the rest', async (part, title) => {
  serve({ ...good, [part]: { status: 500, body: { message: 'boom' } } })
  const { session, problems } = await sessionSource.load(user, null)
  expect(problems).toEqual([{ title, message: 'boom' }])
  expect(session.user).toBe(user)
})
const parts = [
  ['get_current_user_organization_metadata', 'Error Fetching User Organization Metadata'],
  ['is_verified', 'Error Fetching User Verification Status'],
] as const
test.each(parts)('if %s fails initially, only the error is shown', async (part, title) => {
  serve({ ...good, [part]: { status: 500, body: { message: 'boom' } } })
  await expect(sessionSource.load(user, null)).rejects.toMatchObject({ title, message: 'boom', httpStatus: 500 })
})
const later = [
  ...parts,
  ['enabled_modules', 'Error fetching enabled modules'],
  [user, 'Error Fetching User Details'],
] as const
test.each(later)('if %s fails later, it is reported and the session stays unchanged', async (part, title) => {
  serve(good)
  const { session: before } = await sessionSource.load(user, null)
  serve({ ...good, [part]: { status: 500, body: { message: 'boom' } } })
  expect(await sessionSource.load(user, before)).toEqual({ session: before, problems: [{ title, message: 'boom' }] })
})
test('an unreadable subscription has its specified error text', async () => {
  serve({ ...good, get_subscription_status: { status: 500, body: { message: 'boom' } } })
  expect((await sessionSource.load(user, null)).problems).toEqual([
    {
      title: 'Error Fetching Subscription Status',
      message: 'Failed to fetch subscription status. Please try again later.',
    },
  ])
})
test('without an organization no subscription is requested', async () => {
  const requests = serve({
    ...good,
    get_current_user_organization_metadata: {
      body: { message: { org_slug: null, org_role: null, available_orgs: [] } },
    },
  })
  expect(await sessionSource.load(user, null)).toMatchObject({
    session: { organization: null, subscription: null },
    problems: [],
  })
  expect(requests).not.toContain('get_subscription_status')
})
test('a preloaded session is used once without a request, and its documents go to the first reader', () => {
  const requests = serve(good)
  const meta = { name: user, preferences: { lists: {} } }
  const metadata = { org_slug: 'acme', org_role: 'Organization Admin', available_orgs: orgs, is_owner: true }
  const own = { email: user, full_name: 'Ann Lee', first_name: 'Ann', user_image: null }
  const modules = { ee: true, wpc: false }
  const deliver = (to: string) => {
    window.easydash = { session: { user: to, metadata, modules, verified: true, subscription: null, own, meta } }
  }
  deliver('bob')
  expect(sessionSource.delivered(user)).toBeNull()
  deliver(user)
  expect(sessionSource.delivered(user)).toMatchObject({ user, verified: true, organization: { owner: true } })
  expect(sessionSource.delivered(user)).toBeNull()
  expect(takeInitialDoc('User Meta', user)).toEqual(meta)
  expect(takeInitialDoc('User Meta', user)).toBeUndefined()
  expect(requests).toEqual([])
})
test.each([
  ['user_id=ann%40acme.example; sid=x', 'ann@acme.example'],
  ['full_name=Ann; user_id=Guest', null],
  ['user_id=', null],
  ['', null],
])('cookie "%s"', (cookie, expected) => expect(userFromCookie(cookie)).toBe(expected))
