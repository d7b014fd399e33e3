import { expect, test } from 'vitest'
import { flagAddress } from './flag.tsx'

test('each country code has a flag, in upper and lower case; unknown codes have none', async () => {
  expect(await flagAddress('de')).toMatch(/DE\.svg/)
  expect(await flagAddress('AF')).toMatch(/AF\.svg/)
  expect(await flagAddress('zz')).toBe('')
  expect(await flagAddress('')).toBe('')
})
