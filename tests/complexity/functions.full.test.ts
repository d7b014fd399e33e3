import { expect, test } from 'vitest'
import { measureGrowth } from './growth.ts'

test('the work of no function that reads foreign text grows faster than the text', async () => {
  const { count, problems } = await measureGrowth(new URL('text-cases.ts', import.meta.url))
  expect(problems.map(({ name, problem }) => `${name}: ${problem}`)).toEqual([])
  expect(count).toBeGreaterThan(5000)
}, 600_000)
