import { expect, test } from 'vitest'
import type { ListedInvitation } from '#shared/responses/invitations.ts'
import type { ListedMember } from '#shared/responses/members.ts'
import { peopleOf } from './people.ts'

const member = (user: string, more: Partial<ListedMember> = {}): ListedMember => ({
  name: `row ${user}`,
  user,
  full_name: null,
  user_image: null,
  organization_role: 'Organization User',
  is_owner: false,
  joined: '2026-01-01 00:00:00.000000',
  sites: 0,
  ssh_keys: 1,
  two_factor: false,
  last_active: null,
  ...more,
})
const invitation = (user: string, status: ListedInvitation['status']): ListedInvitation => ({
  name: `invite ${user}`,
  organization: 'acme',
  user,
  organization_role: 'Organization Manager',
  status,
  invited_by: 'ann@a.example',
  creation: '2026-02-01 00:00:00.000000',
  link_created: null,
  sent: null,
  undelivered: false,
  expires: null,
  signed_up: null,
  joined: null,
  declined: null,
})

test('members and invitations share one list; accepted invitations are listed as members', () => {
  const people = peopleOf(
    [member('ann@a.example', { full_name: 'Ann Berg', organization_role: 'Organization Admin', is_owner: true })],
    [
      invitation('ann@a.example', 'verified'),
      invitation('ben@a.example', 'pending'),
      invitation('cy@a.example', 'expired'),
    ],
    'ann@a.example',
  )
  expect(
    people.map(({ member: name, organization_role, status, self }) => [name, organization_role, status, self]),
  ).toEqual([
    ['Ann Berg', 'Organization Admin', 'Joined', true],
    ['ben@a.example', 'Organization Manager', 'Pending', false],
    ['cy@a.example', 'Organization Manager', 'Expired', false],
  ])
})

test('an invitation is hidden if its recipient joined another way', () => {
  const people = peopleOf([member('ann@a.example')], [invitation('ann@a.example', 'pending')], null)
  expect(people.map(({ kind }) => kind)).toEqual(['member'])
})

test('hidden values of other members stay unknown', () => {
  const [person] = peopleOf([member('ann@a.example', { two_factor: null, ssh_keys: null })], [], null)
  expect(person).toMatchObject({ two_factor: null, ssh_keys: null })
})
