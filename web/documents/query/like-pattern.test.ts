import { expect, test } from 'vitest'
import { likePattern } from './like-pattern.ts'

test('wildcards are taken literally', () => {
  expect(likePattern('50%_a\\b')).toBe('%50\\%\\_a\\\\b%')
})
