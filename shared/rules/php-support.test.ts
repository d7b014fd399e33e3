import { expect, test } from 'vitest'
import { isOldPhp, phpSupportEnd } from './php-support.ts'

test('a PHP version is old from 90 days before its last security fixes on', () => {
  expect(phpSupportEnd('8.2')).toBe('2026-12-31')
  expect(isOldPhp('8.2', Date.parse('2026-10-02T00:00:00Z'))).toBe(false)
  expect(isOldPhp('8.2', Date.parse('2026-10-03T00:00:00Z'))).toBe(true)
  expect(isOldPhp('8.2', Date.parse('2030-01-01T00:00:00Z'))).toBe(true)
})

test('a version that is not known is not called old', () => {
  expect(phpSupportEnd('9.9')).toBeNull()
  expect(isOldPhp('9.9', Date.parse('2040-01-01T00:00:00Z'))).toBe(false)
  expect(isOldPhp('', 0)).toBe(false)
})
