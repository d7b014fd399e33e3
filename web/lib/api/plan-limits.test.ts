import { expect, test } from 'vitest'
import { nearLimit } from './plan-limits.ts'

test.each([
  [7, 10, false],
  [8, 10, true],
  [10, 10, true],
  [11, 10, false],
  [2, 3, false],
  [3, 3, true],
  [9, 0, false],
  [9, -1, false],
  [0, 1, false],
])('%i of %i: %s', (used, limit, near) => expect(nearLimit(used, limit)).toBe(near))
