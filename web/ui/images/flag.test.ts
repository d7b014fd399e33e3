import { expect, test } from 'vitest'
import { flagAddress } from './flag.tsx'

test('a country has a flag of its own, whatever the case; an unknown one has none', async () => {
  expect(await flagAddress('de')).toMatch(/DE\.svg/)
  expect(await flagAddress('AF')).toMatch(/AF\.svg/)
  expect(await flagAddress('zz')).toBe('')
  expect(await flagAddress('')).toBe('')
})
