import { expect, test } from 'vitest'
import { createSteps } from './steps.ts'

test('each step prints a line with its duration and gives its result', async () => {
  const lines: string[] = []
  let time = 0
  const step = createSteps({ print: (line) => void lines.push(line), now: () => (time += 521) })
  expect(await step('Database started', () => Promise.resolve(7))).toBe(7)
  const failure = new Error('no')
  await expect(step('Web app built', () => Promise.reject(failure))).rejects.toBe(failure)
  expect(lines).toEqual(['✓ Database started 0.52 s', '✗ Web app built 0.52 s'])
})
