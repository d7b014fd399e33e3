import { describe, expect, test } from 'vitest'
import { signedOut, type Session } from '#web/lib/session/session.tsx'
import type { OrganizationRole } from '#shared/doctypes/organization-member.ts'
import { matchRoute } from '#web/lib/routing/route-match.ts'
import { routes } from '#web/routes.tsx'
import { gate as gateOf } from './gates.ts'

function person(role: OrganizationRole = 'Organization Admin', change: Partial<Session> = {}, owner = false): Session {
  const organization = { name: 'acme', title: 'Acme', role, owner }
  return {
    ...signedOut,
    user: 'ann@acme.example',
    verified: true,
    organization,
    organizations: [organization],
    ...change,
  }
}
const plan = (site: number, limit: number, server = 0, serverLimit = 0) => ({
  plans_enabled: true,
  plan_name: 'Free',
  is_free_tier: true,
  is_canceled: false,
  cancelation_date: null,
  usage: { site, server },
  limits: { site: limit, server: serverLimit },
})
const gate = (session: Session, path: string, search = '') =>
  gateOf(session, path, matchRoute(routes, path)?.route, search)
const to = (session: Session, path: string, search = '') => gate(session, path, search)?.to ?? null

test('12: an organization that requires two-factor authentication', () => {
  const organization = { name: 'acme', title: 'Acme', role: 'Organization Admin', owner: true } as const
  const blocked = {
    ...person('Organization Admin', {}, true),
    organization: { ...organization, two_factor_needed: true },
  }
  for (const path of ['/', '/site', '/user', '/server/one', '/platform']) expect(to(blocked, path)).toBe('/two-factor')
  for (const path of ['/two-factor', '/organization/create', '/organization/globex', '/invitation', '/terms'])
    expect(to(blocked, path)).toBeNull()
  expect(to(person('Organization Admin', {}, true), '/two-factor')).toBe('/')
})

describe('1: signed out', () => {
  test.each(['/', '/site', '/site/create', '/organization/create', '/nowhere', '/verify-email'])(
    '%s → login',
    (path) => {
      expect(to(signedOut, path)).toBe('/login')
    },
  )
  test.each(['/login', '/signup', '/invitation', '/forgot-password', '/reset-password', '/terms'])(
    '%s stays',
    (path) => {
      expect(to(signedOut, path)).toBeNull()
    },
  )
  test('the link of a verification email works signed out', () => {
    expect(to(signedOut, '/verify-email', '?token=abc')).toBeNull()
    expect(to(signedOut, '/verify-email', '?token=')).toBe('/login')
  })
  test('explains the redirect, except from the home page', () => {
    expect(gate(signedOut, '/site')?.reason).toBe('login_needed')
    expect(gate(signedOut, '/')?.reason).toBeNull()
  })
})

test.each(['/login', '/signup', '/forgot-password'])('2: signed in on %s → sites', (path) => {
  expect(to(person(), path)).toBe('/site')
})

describe('3 and 4: verification', () => {
  const unverified = person('Organization Admin', { verified: false })
  test('unverified users are redirected to /verify-email from all other pages', () => {
    expect(to(unverified, '/')).toBe('/verify-email')
    expect(to(unverified, '/organization/create')).toBe('/verify-email')
    expect(to(unverified, '/verify-email')).toBeNull()
    expect(to(unverified, '/reset-password')).toBeNull()
    // The invitation page explains what is missing.
    expect(to(unverified, '/invitation')).toBeNull()
  })
  test('rule 2 applies first: /login redirects to the sites, which redirect to verification', () => {
    expect(to(unverified, '/login')).toBe('/site')
    expect(to(unverified, '/site')).toBe('/verify-email')
  })
  test('verified users are redirected from /verify-email', () => expect(to(person(), '/verify-email')).toBe('/site'))
})

describe('5: no organization', () => {
  const alone = person('Organization User', { organization: null, organizations: [] })
  test.each(['/', '/site', '/server/x', '/organization/acme', '/nowhere'])('%s → create an organization', (path) => {
    expect(to(alone, path)).toBe('/organization/create')
  })
  test.each(['/organization/create', '/invitation', '/reset-password', '/terms'])('%s stays', (path) =>
    expect(to(alone, path)).toBeNull(),
  )
  test('only platform admins can open the platform page', () => {
    expect(to(alone, '/platform')).toBe('/organization/create')
    expect(to({ ...alone, platformAdmin: true }, '/platform')).toBeNull()
  })
  test('platform admins reach their own settings, and nobody else’s', () => {
    const root = { ...alone, platformAdmin: true }
    const own = `/user/${encodeURIComponent(alone.user ?? '')}`
    expect([to(root, own), to(root, decodeURIComponent(own))]).toEqual([null, null])
    expect([to(root, '/user/x%40acme.example'), to(root, '/user'), to(alone, own)]).toEqual([
      '/organization/create',
      '/organization/create',
      '/organization/create',
    ])
  })
})

describe('6 and 7: plan limits', () => {
  test.each([
    [2, 3, null],
    [3, 3, '/site'],
    [4, 3, '/site'],
    [9, 0, null],
    [9, -1, null],
  ])('%i of %i sites used', (used, limit, target) => {
    expect(to(person('Organization Admin', { subscription: plan(used, limit) }), '/site/create')).toBe(target)
  })
  test('the server limit redirects with its reason', () => {
    const full = person('Organization Admin', { subscription: plan(0, 3, 1, 1) })
    expect(gate(full, '/server/create')).toEqual({ to: '/server', reason: 'server_limit' })
    expect(to(full, '/site/create')).toBeNull()
  })
  test('without a known plan nobody is redirected, because the server decides', () =>
    expect(to(person(), '/site/create')).toBeNull())
})

describe('8 to 11: roles', () => {
  const [admin, manager, member] = [person(), person('Organization Manager'), person('Organization User')]
  const owner = person('Organization Admin', {}, true)
  const platform = person('Organization User', { platformAdmin: true })
  test('the form that creates servers is for admins', () => {
    for (const session of [manager, member])
      expect(gate(session, '/server/create')).toEqual({ to: '/server', reason: 'admins_only' })
    for (const session of [admin, owner, platform]) expect(to(session, '/server/create')).toBeNull()
  })
  test('server pages are for admins and managers; this rule ignores the list', () => {
    expect(to(member, '/server/srv1')).toBe('/server')
    expect(to(member, '/server')).toBeNull()
    for (const session of [admin, manager, platform]) expect(to(session, '/server/srv1')).toBeNull()
  })
  test('organization settings are for admins; the rule matches the exact path', () => {
    expect(to(manager, '/organization')).toBe('/site')
    expect(to(member, '/organization')).toBe('/site')
    expect(to(member, '/organization/acme')).toBeNull()
    expect(to(platform, '/organization')).toBeNull()
  })
  test('the list of users is for admins and managers; the page of a user is open to all', () => {
    expect(to(member, '/user')).toBe('/site')
    expect(to(member, '/user/ann@acme.example')).toBeNull()
    expect(to(manager, '/user')).toBeNull()
  })
  test('billing is for the owner', () => {
    expect(to(admin, '/billing')).toBe('/site')
    expect(to(platform, '/billing')).toBe('/site')
    expect(to(owner, '/billing')).toBeNull()
  })
})

test('no redirect leads to a page that redirects back', () => {
  const people = [
    signedOut,
    person('Organization Admin', { verified: false }),
    person('Organization User', { organization: null, organizations: [] }),
    person('Organization User', { subscription: plan(9, 3, 9, 1) }),
    person('Organization Admin', {}, true),
  ]
  const paths = [
    '/',
    '/login',
    '/signup',
    '/verify-email',
    '/site',
    '/site/create',
    '/server/create',
    '/server/x',
    '/user',
    '/billing',
    '/organization',
    '/organization/create',
  ]
  for (const session of people) {
    for (const start of paths) {
      let path: string | null = start
      for (let hops = 0; path !== null; hops += 1) {
        expect(hops).toBeLessThan(4)
        path = to(session, path)
      }
    }
  }
})
