import { expect, test } from 'vitest'
import { suggest } from './suggestions.ts'

const people = ['Ann Lee', 'Joanna Berg', 'Ben Cole', 'Hannah Abt', 'ANNA Zorn', 'Annika Ott', 'Susann Ebert', 'Anno']
const found = (typed: string) => suggest(typed, people, (person) => person)

test('matches part of the text, ignoring case and surrounding spaces; at most five, in order', () => {
  expect(found('ANN')).toEqual(['Ann Lee', 'Joanna Berg', 'Hannah Abt', 'ANNA Zorn', 'Annika Ott'])
  expect(found('  cole ')).toEqual(['Ben Cole'])
  expect(found('n l')).toEqual(['Ann Lee'])
  expect(found('nobody')).toEqual([])
})

test('signs that mean something to patterns are only signs', () => {
  expect(suggest('.*', ['a.*b', 'axb'], (text) => text)).toEqual(['a.*b'])
})

test('empty input suggests the first five', () => {
  expect(found('  ')).toEqual(people.slice(0, 5))
})
