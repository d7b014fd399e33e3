import { expect, test } from 'vitest'
import { screensFor } from '#web/lib/routing/route-match.ts'
import { signedOut, type Session } from '#web/lib/session/session.tsx'
import type { OrganizationRole } from '#shared/doctypes/organization-member.ts'
import { routes } from '#web/routes.tsx'
import { navGroups } from './nav-entries.tsx'

function person(role: OrganizationRole, change: Partial<Session> = {}, owner = false): Session {
  return {
    ...signedOut,
    user: 'ann@acme.example',
    verified: true,
    modules: { ee: true, wpc: false },
    organization: { name: 'acme', title: 'Acme', role, owner },
    ...change,
  }
}
const menu = (session: Session) =>
  navGroups(session, {}, screensFor(routes, session)).map(({ label, entries }) => [
    label,
    entries.map((entry) => entry.label).join(' '),
  ])

const general = ['General', 'Dashboard Sites Servers']

test('menu entries by role (tests/permissions/matrix.md)', () => {
  expect(menu(person('Organization Admin', {}, true))).toEqual([general, ['Manage', 'Users Settings Billing Support']])
  expect(menu(person('Organization Admin'))).toEqual([general, ['Manage', 'Users Settings Support']])
  expect(menu(person('Organization Manager'))).toEqual([general, ['Manage', 'Users Support']])
  expect(menu(person('Organization User'))).toEqual([general, ['Manage', 'Support']])
})

test('the own account is not a part of the users', () => {
  const users = navGroups(person('Organization Admin'), {}, routes)
    .flatMap(({ entries }) => entries)
    .find(({ to }) => to === '/user')
  const current = ['/user', '/user/bo%40acme.example', '/user/ann%40acme.example', '/user/ann@acme.example']
  expect(current.map((path) => users?.matches(path))).toEqual([true, true, false, false])
})

test('the platform entry is for platform admins, even without an organization', () => {
  expect(menu(person('Organization User', { platformAdmin: true }))).toEqual([
    general,
    ['Manage', 'Users Settings Platform Support'],
  ])
  expect(menu(person('Organization User', { platformAdmin: true, organization: null }))).toEqual([
    ['Manage', 'Platform Support'],
  ])
})

test('entries without a screen are hidden, and support opens outside the app', () => {
  const [, manage] = navGroups(person('Organization Admin', {}, true), {}, routes.slice(0, 1))
  expect(manage?.entries.map(({ to, newTab }) => [to, newTab])).toEqual([['/helpdesk', true]])
})

test('what needs attention is said instead of the number, on sites and on servers', () => {
  const entries = (counts: Parameters<typeof navGroups>[1]) =>
    navGroups(person('Organization User'), counts, screensFor(routes, person('Organization User')))[0]?.entries.map(
      ({ label, count, bad }) => [label, count, bad],
    )
  const fine = { sites: 3, sitesAttention: 0, sitesBroken: 0, servers: 2, serversAttention: 0, serversBroken: 0 }
  expect(entries(fine)).toEqual([
    ['Dashboard', undefined, undefined],
    ['Sites', 3, null],
    ['Servers', 2, null],
  ])
  expect(
    entries({ ...fine, sitesAttention: 1, serversAttention: 2, serversBroken: 1 })?.map(([, , bad]) => bad),
  ).toEqual([undefined, { text: '1 needs attention', tone: 'warn' }, { text: '2 need attention', tone: 'bad' }])
})
