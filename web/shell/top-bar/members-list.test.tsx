import { act } from 'react'
import { expect, test, vi } from 'vitest'
import { testRender } from '#web/lib/browser/test-render.ts'
import { MemoryRouter } from 'react-router'
import { signedOut, type OrganizationRole, type Session } from '#web/lib/session/session.tsx'
import { routes } from '#web/routes.tsx'
import { MembersList } from './members-list.tsx'
import { ScreensProvider } from '../frame/screens.tsx'

const page = testRender()
const now = vi.hoisted(() => ({ session: null as unknown, roles: [] as unknown[] }))
vi.mock('#web/lib/session/session.tsx', async (original) => ({
  ...(await original<Record<string, unknown>>()),
  useSession: () => now.session,
}))
vi.mock('#web/lib/api/frappe.tsx', () => ({
  useList: (doctype: string | null) => ({
    data: doctype === 'User' ? people : doctype === 'Organization Member' ? now.roles : undefined,
    error: null,
  }),
  useCount: () => ({ data: 60 }),
}))
const people = ['ada', 'ben', 'cara'].map((name) => ({
  name: `${name}@acme.example`,
  full_name: name,
  user_image: null,
}))
const roleOf = (name: string, organization_role: OrganizationRole) => ({
  user: `${name}@acme.example`,
  organization_role,
})

/** Renders it for `who` (the owner is ada); `readable`: the roles the server returns for this user. */
function draw(who: string, role: OrganizationRole, readable: readonly unknown[]): void {
  const organization = { name: 'acme', title: 'Acme', role, owner: who === 'ada' }
  const subscription = { user: 'ada@acme.example', usage: { site: 0, server: 0 }, limits: { site: 0, server: 0 } }
  const user = `${who}@acme.example`
  now.session = { ...signedOut, user, verified: true, organization, subscription } as unknown as Session
  now.roles = [...readable]
  act(() =>
    page.root.render(
      <MemoryRouter>
        <ScreensProvider routes={routes}>
          <MembersList onClose={() => undefined} />
        </ScreensProvider>
      </MemoryRouter>,
    ),
  )
}
const lines = () => [...page.place.querySelectorAll('li')].map((line) => line.textContent)
const links = () => [...page.place.querySelectorAll('a')].map((link) => link.getAttribute('href'))
const all = [
  roleOf('ada', 'Organization Admin'),
  roleOf('ben', 'Organization Manager'),
  roleOf('cara', 'Organization User'),
]

test.each([
  ['ada', 'Organization Admin'],
  ['ben', 'Organization Manager'],
] as const)('%s sees who is here as what, invites, and goes to the whole list', (who, role) => {
  draw(who, role, all)
  expect(lines().map((line) => line.replace(' · You', ''))).toEqual([
    expect.stringMatching(/ada@acme\.exampleOwner$/),
    expect.stringMatching(/ben@acme\.exampleManager$/),
    expect.stringMatching(/cara@acme\.exampleMember$/),
    'and 57 more',
  ])
  expect(links()).toEqual([
    '/user?invite=1',
    '/user/ada%40acme.example',
    '/user/ben%40acme.example',
    '/user/cara%40acme.example',
    '/user',
  ])
})

test('a member sees names and the own role, and whom to ask', () => {
  draw('cara', 'Organization User', [roleOf('cara', 'Organization User')])
  expect(lines()[1]).toMatch(/ben@acme\.example$/)
  expect(lines()[2]).toMatch(/cara · You.*Member$/)
  expect(links()).toEqual(['/user/cara%40acme.example'])
  expect(page.place.textContent).toContain('An admin can invite people and change roles.')
})
