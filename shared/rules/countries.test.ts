import { expect, test } from 'vitest'
import { countries, countryOf } from './countries.ts'

test('every assigned code once, with a name of its own, sorted by name', () => {
  expect(countries).toHaveLength(249)
  expect(new Set(countries.map(({ code }) => code)).size).toBe(249)
  expect(new Set(countries.map(({ name }) => name)).size).toBe(249)
  for (const { code, name } of countries) {
    expect(code).toMatch(/^[a-z]{2}$/)
    expect(name.toLowerCase()).not.toBe(code)
  }
  expect(countries[0]).toEqual({ name: 'Afghanistan', code: 'af' })
  expect(countries.map(({ name }) => name)).toEqual(
    countries.map(({ name }) => name).toSorted((a, b) => a.localeCompare(b, 'en')),
  )
})

test('a country is found by code or name in any case, nothing else is one', () => {
  expect(countryOf(' DE ')).toEqual({ name: 'Germany', code: 'de' })
  expect(countryOf('germany')).toEqual({ name: 'Germany', code: 'de' })
  for (const text of ['', 'xx', 'Atlantis', '__proto__', 'constructor']) expect(countryOf(text)).toBeNull()
})
