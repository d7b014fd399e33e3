import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { caller, described, person, personOrOmitted } from './schema.ts'
import { returnsPeople, unmarkedPeople } from './people.ts'

test('an answer that says somewhere who others are returns people', () => {
  expect(returnsPeople(z.array(person))).toBe(true)
  expect(returnsPeople(z.object({ rows: z.array(z.object({ who: z.nullable(person) })) }))).toBe(true)
  expect(returnsPeople(z.union([z.string(), described(person, 'The maker')]))).toBe(true)
  expect(returnsPeople(z.record(z.string(), person))).toBe(true)
  expect(returnsPeople(z.object({ user: caller, owner: personOrOmitted, title: z.string() }))).toBe(false)
  expect(returnsPeople(undefined)).toBe(false)
})

test('properties named like users must say whom they identify', () => {
  expect(unmarkedPeople(z.object({ user: z.string() }))).toEqual(['user'])
  expect(unmarkedPeople(z.array(z.object({ full_name: z.nullable(z.string()), name: z.string() })))).toEqual([
    'full_name',
  ])
  expect(unmarkedPeople(z.object({ users: z.array(z.string()) }))).toEqual(['users'])
  expect(unmarkedPeople(z.object({ owner: z.unknown() }))).toEqual(['owner'])
  expect(unmarkedPeople(z.object({ user: person, owner: caller, email: personOrOmitted }))).toEqual([])
  // Numbers and booleans don't identify anyone.
  expect(unmarkedPeople(z.object({ members: z.int(), owner: z.boolean() }))).toEqual([])
})
