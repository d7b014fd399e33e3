import { expect, test } from 'vitest'
import {
  booleanShape,
  described,
  listShape,
  objectShape,
  orNull,
  personOrLeftOutShape,
  personShape,
  callerShape,
  textShape,
  wholeShape,
} from './json-schema.ts'
import { returnsPeople, unmarkedPeople } from './people.ts'

test('an answer that says somewhere who others are returns people', () => {
  expect(returnsPeople(listShape(personShape))).toBe(true)
  expect(returnsPeople(objectShape({ rows: listShape(objectShape({ who: orNull(personShape) })) }))).toBe(true)
  expect(returnsPeople({ anyOf: [textShape, described(personShape, 'The maker')] })).toBe(true)
  expect(returnsPeople({ type: 'object', additionalProperties: personShape })).toBe(true)
  expect(returnsPeople(objectShape({ user: callerShape, owner: personOrLeftOutShape, title: textShape }))).toBe(false)
  expect(returnsPeople(undefined)).toBe(false)
})

test('names that sound like people have to say whom they are about', () => {
  expect(unmarkedPeople(objectShape({ user: textShape }))).toEqual(['user'])
  expect(unmarkedPeople(listShape(objectShape({ full_name: orNull(textShape), name: textShape })))).toEqual([
    'full_name',
  ])
  expect(unmarkedPeople(objectShape({ users: listShape(textShape) }))).toEqual(['users'])
  expect(unmarkedPeople(objectShape({ owner: {} }))).toEqual(['owner'])
  expect(unmarkedPeople(objectShape({ user: personShape, owner: callerShape, email: personOrLeftOutShape }))).toEqual(
    [],
  )
  // Numbers and switches tell of nobody.
  expect(unmarkedPeople(objectShape({ members: wholeShape, owner: booleanShape }))).toEqual([])
})
