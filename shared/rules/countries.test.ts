import { expect, test } from 'vitest'
import { countryOf } from './countries.ts'

test('a country is found by code or name in any case, nothing else is one', () => {
  expect(countryOf(' DE ')).toEqual({ name: 'Germany', code: 'de' })
  expect(countryOf('germany')).toEqual({ name: 'Germany', code: 'de' })
  for (const text of ['', 'xx', 'Atlantis', '__proto__', 'constructor']) expect(countryOf(text)).toBeNull()
})
