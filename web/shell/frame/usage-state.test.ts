import { expect, test } from 'vitest'
import { usageState } from './usage-state.ts'

test.each([
  [0, 3, 'quiet', '0 of 3'],
  [2, 3, 'quiet', '2 of 3'],
  [4, 5, 'warn', '4 of 5'],
  [3, 3, 'warn', 'Limit reached'],
  [4, 3, 'bad', 'Over limit'],
  [12, 0, 'quiet', '12'],
  [12, -1, 'quiet', '12'],
])('%i of %i', (used, limit, tone, text) => expect(usageState({ used, limit })).toMatchObject({ tone, text }))
