import { expect, test } from 'vitest'
import type { Person } from './people.ts'
import { peopleSummary } from './people-summary.ts'

const members = ['ann', 'ben'].map(
  (user) =>
    ({ kind: 'member', user, status: 'Joined', signed_up: null, organization_role: 'Organization User' }) as Person,
)
const invitations = (isKnown: boolean) => peopleSummary(members, isKnown).at(-1)

test('everyone has joined if there are no invitations', () => {
  expect(invitations(true)).toMatchObject({ value: 'Everyone has joined', tone: 'ok' })
})

test('nobody is said to have joined if the invitations could not be read', () => {
  expect(invitations(false)).toMatchObject({ value: null, tone: 'none' })
})
