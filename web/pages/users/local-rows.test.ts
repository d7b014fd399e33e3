import { expect, test } from 'vitest'
import type { ListState } from '#web/documents/query/list-state.ts'
import { matchingPeople } from './local-rows.ts'
import type { Person } from './people.ts'

const line = (member: string, more: Partial<Person> = {}): Person => ({
  name: member,
  kind: 'member',
  user: `${member.toLowerCase()}@a.example`,
  member,
  image: null,
  organization_role: 'Organization User',
  status: 'Joined',
  is_owner: false,
  self: false,
  sites: 0,
  ssh_keys: 0,
  two_factor: 'On',
  last_active: null,
  added: '2026-01-01 00:00:00.000000',
  link_created: null,
  sent: null,
  undelivered: false,
  expires: null,
  signed_up: null,
  ...more,
})
const owner = line('Zoe', { organization_role: 'Organization Admin', is_owner: true, sites: null })
const admin = line('Ann', { organization_role: 'Organization Admin', sites: null, two_factor: 'Off' })
const ben = line('Ben', { sites: 3, last_active: '2026-03-01 00:00:00.000000' })
const open = line('new@b.example', {
  kind: 'invitation',
  user: 'new@b.example',
  status: 'Pending',
  sites: null,
  ssh_keys: null,
  two_factor: null,
})
const people = [open, ben, admin, owner]

const show = (state: Partial<ListState> = {}) =>
  matchingPeople(people, { filters: [], text: '', order: { field: 'status', direction: 'asc' }, ...state }).map(
    ({ member }) => member,
  )

test('members come before invitations, the owner first, higher roles before lower', () => {
  expect(show()).toEqual(['Zoe', 'Ann', 'Ben', 'new@b.example'])
})

test('filters compare as the server does', () => {
  expect(show({ filters: [['organization_role', '=', 'Organization Admin']] })).toEqual(['Zoe', 'Ann'])
  expect(show({ filters: [['organization_role', 'not in', ['Organization Admin']]] })).toEqual(['Ben', 'new@b.example'])
  expect(show({ filters: [['status', '!=', 'Joined']] })).toEqual(['new@b.example'])
  expect(show({ filters: [['two_factor', 'in', ['Off']]] })).toEqual(['Ann'])
  expect(show({ filters: [['member', 'like', 'ZO%']] })).toEqual(['Zoe'])
})

test('text is searched in names and addresses', () => {
  expect(show({ text: ' B.example' })).toEqual(['new@b.example'])
  expect(show({ text: 'nobody' })).toEqual([])
})

test('unknown values sort last in both directions; all sites are more than some', () => {
  expect(show({ order: { field: 'last_active', direction: 'desc' } })[0]).toBe('Ben')
  expect(show({ order: { field: 'last_active', direction: 'asc' } })[0]).toBe('Ben')
  expect(show({ order: { field: 'sites', direction: 'desc' } })).toEqual(['Zoe', 'Ann', 'Ben', 'new@b.example'])
  expect(show({ order: { field: 'sites', direction: 'asc' } })).toEqual(['Ben', 'Zoe', 'Ann', 'new@b.example'])
})
