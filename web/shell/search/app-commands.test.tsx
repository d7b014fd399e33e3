import { expect, test, vi } from 'vitest'
import { owner } from '#tests/web/screen.tsx'
import type { OrganizationRole } from '#shared/doctypes/organization-member.ts'
import type { Session } from '#web/lib/session/session.tsx'
import { routes } from '#web/routes.tsx'
import { matchRoute } from '#web/lib/routing/route-match.ts'
import { appCommands } from './app-commands.tsx'

const handlers = { help: vi.fn<() => void>(), toggleSidebar: vi.fn<() => void>(), toggleTheme: vi.fn<() => void>() }

function person(role: OrganizationRole, isOwner: boolean, change: Partial<Session> = {}): Session {
  const organization = { name: 'acme', title: 'Acme', role, owner: isOwner }
  const subscription = { plans_enabled: true, usage: { site: 0, server: 0 }, limits: { site: 1, server: 1 } }
  return { ...owner, organization, organizations: [], subscription: subscription as Session['subscription'], ...change }
}
const titles = (session: Session) =>
  appCommands(
    session,
    routes.filter(({ access }) => access !== 'platform' || session.platformAdmin),
    handlers,
  ).map(({ title }) => title)

const everyone = [
  'Toggle Theme',
  'Logout',
  'Help and shortcuts',
  'Create API token',
  'Two-factor authentication (2FA)',
  'Change password',
  'Sessions and devices',
  'SSH keys',
  'Emails about notifications',
  'Account settings',
  'API reference',
  'Toggle sidebar',
  'Import site',
]

test('each role has a command for what it can do anywhere, and no other', () => {
  const member = titles(person('Organization User', false))
  const manager = titles(person('Organization Manager', false))
  const admin = titles(person('Organization Admin', false))
  const own = titles(person('Organization Admin', true))
  for (const of of [member, manager, admin, own]) expect(of).toEqual(expect.arrayContaining(everyone))
  const without = (of: string[]) => of.filter((title) => !everyone.includes(title) && !title.startsWith('Start tour'))
  expect(without(member)).toEqual([])
  expect(without(manager)).toEqual(['Invite people'])
  expect(without(admin)).toContain('Organization settings: Slack')
  expect(without(admin)).not.toContain('Change plan')
  expect(without(own)).toEqual(expect.arrayContaining(['Invite people', 'Change plan', 'Billing: Profile']))
})

test('invoices and cards have commands only where plans are paid for', () => {
  const own = person('Organization Admin', true)
  const paid = { ...own.subscription, payment_provider: { name: 'stripe' } } as Session['subscription']
  const about = (session: Session) => titles(session).filter((title) => /Invoices|Purchases|Payment/.test(title))
  expect(about(own)).toEqual([])
  expect(about({ ...own, subscription: paid })).toHaveLength(3)
})

test('no command of a plan where there are none, of a token without an organization, of the platform for others', () => {
  expect(titles(person('Organization Admin', true, { subscription: null }))).not.toContain('Change plan')
  expect(titles(person('Organization User', false, { organization: null }))).not.toContain('Create API token')
  expect(titles(person('Organization User', false))).not.toContain('Platform: Outbox')
  expect(titles(person('Organization User', false, { platformAdmin: true }))).toContain('Platform: Outbox')
})

test('other organizations can be switched to; every command leads to a page or does something', () => {
  const beta = { name: 'beta', title: 'Beta', role: 'Organization User' } as Session['organizations'][number]
  const session = person('Organization Admin', true, { organizations: [beta], platformAdmin: true })
  const commands = appCommands(session, routes, handlers)
  expect(commands.map(({ title }) => title)).toContain('Switch to Beta')
  for (const { title, href, newTab, run } of commands)
    if (!run && !newTab) expect(matchRoute(routes, new URL(href ?? '', 'http://x').pathname), title).not.toBeNull()
})
