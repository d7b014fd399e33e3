import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { passwordStrength } from '#shared/rules/password-strength.ts'
import { ratePassword } from './password-rating.ts'

test('rates passwords like the form does', async () => {
  const cases: [string, string[]][] = [
    ['', []],
    ['short', []],
    ['a lovely horse reads Danish poems', []],
    ['marie.curie.1867', ['Marie', 'Curie']],
    ['aB3$'.repeat(40), []],
  ]
  const strengths = await Promise.all(cases.map(([password, about]) => ratePassword(password, about)))
  expect(strengths).toEqual(await Promise.all(cases.map(([password, about]) => passwordStrength(password, about))))
})

test('leaves the event loop to others', async () => {
  let isDone = false
  const all = Promise.all(Array.from({ length: 10 }, () => ratePassword('aB3$'.repeat(32), []))).then(() => {
    isDone = true
  })
  let turns = 0
  while (!isDone) {
    await nextTurn()
    turns += 1
  }
  await all
  expect(turns).toBeGreaterThan(100)
})
