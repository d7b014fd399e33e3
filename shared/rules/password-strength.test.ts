import fc from 'fast-check'
import { expect, test } from 'vitest'
import { passwordStrength } from './password-strength.ts'

test.each([
  ['', 'No Strength', 0],
  ['abc', 'No Strength', 0],
  ['password123', 'No Strength', 0],
  ['Password123!', 'Weak', 33],
  ['letmein12345', 'Weak', 33],
  ['aaaaaaaaaaaaaaaa', 'No Strength', 0],
  ['correct horse', 'Average', 66],
  ['Correct-Horse-42!', 'Excellent', 100],
])('%j is %s', async (password, level, value) => {
  expect(await passwordStrength(password)).toMatchObject({ level, value })
})

test('nine characters never do, however random; 128 are the most', async () => {
  expect(await passwordStrength('x9$Lq2#vK')).toMatchObject({
    level: 'Weak',
    acceptable: false,
    problem: { text: 'Use at least 10 characters.' },
  })
  const long = 'x9$Lq2#vKw'.repeat(13).slice(0, 128)
  expect((await passwordStrength(long)).acceptable).toBe(true)
  expect(await passwordStrength(`${long}z`)).toMatchObject({
    acceptable: false,
    problem: { text: 'Use 128 characters at the most.' },
  })
})

test('length counts characters as people see them', async () => {
  expect((await passwordStrength('🦊🐙🌵🎈🚲')).problem?.text).toBe('Use at least 10 characters.')
})

test('the own name and address do not make a password', async () => {
  const about = ['Bartholomew', 'Quimby', 'bartholomew.quimby@springfield.example']
  expect((await passwordStrength('bartholomewquimby')).acceptable).toBe(true)
  expect((await passwordStrength('bartholomewquimby', about)).acceptable).toBe(false)
})

test('acceptable means Average or better within the bounds, for any text', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 150 }), async (password) => {
      const { level, value, acceptable, problem } = await passwordStrength(password)
      const length = [...password].length
      expect(acceptable).toBe(value >= 66 && length >= 10 && length <= 128)
      expect(problem === null).toBe(acceptable)
      expect(['No Strength', 'Weak', 'Average', 'Excellent']).toContain(level)
    }),
    { numRuns: 200 },
  )
})
