import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import type { OrganizationRole } from '#shared/doctypes/organization-member.ts'
import { routes } from '#web/routes.tsx'
import { MembersList } from './members-list.tsx'
import { ScreensProvider } from '../frame/screens.tsx'

const api = apiServer()
beforeEach(() => api.on('frappe.client.get_count', () => ({ message: 60 })))
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
async function setup(who: string, role: OrganizationRole, readable: readonly unknown[]): Promise<void> {
  api.on('frappe.client.get_list', ({ body }) => ({ message: body['doctype'] === 'User' ? people : readable }))
  const organization = { name: 'acme', title: 'Acme', role, owner: who === 'ada' }
  const subscription = {
    user: 'ada@acme.example',
    plans_enabled: true,
    plan_name: 'Free',
    is_free_tier: true,
    is_canceled: false,
    cancelation_date: null,
    usage: { site: 0, server: 0 },
    limits: { site: 0, server: 0 },
  }
  renderAs(
    { ...owner, user: `${who}@acme.example`, organization, subscription },
    <ScreensProvider routes={routes}>
      <MembersList onClose={() => undefined} />
    </ScreensProvider>,
  )
  await screen.findByText('and 57 more')
  const own = readable.length > 1 ? 'Manager' : 'Member'
  await waitFor(() => expect(lines().some((line) => line.endsWith(own))).toBe(true))
}
const lines = () => screen.getAllByRole('listitem').map((line) => line.textContent)
const links = () => screen.getAllByRole('link').map((link) => link.getAttribute('href'))
const all = [
  roleOf('ada', 'Organization Admin'),
  roleOf('ben', 'Organization Manager'),
  roleOf('cara', 'Organization User'),
]

test.each([
  ['ada', 'Organization Admin'],
  ['ben', 'Organization Manager'],
] as const)('%s sees members with their roles, can invite, and can open the full list', async (who, role) => {
  await setup(who, role, all)
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

test('members see names, their own role, and whom to contact', async () => {
  await setup('cara', 'Organization User', [roleOf('cara', 'Organization User')])
  expect(lines()[1]).toMatch(/ben@acme\.example$/)
  expect(lines()[2]).toMatch(/cara · You.*Member$/)
  expect(links()).toEqual(['/user/cara%40acme.example'])
  expect(screen.getByText('An admin can invite people and change roles.')).toBeTruthy()
})
