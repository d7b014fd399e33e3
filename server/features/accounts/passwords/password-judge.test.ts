import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { passwordStrength } from '#shared/rules/password-strength.ts'
import { judgePassword } from './password-judge.ts'

test('judges as the form does, each password for whoever asked', async () => {
  const requests: [string, string[]][] = [
    ['', []],
    ['short', []],
    ['a lovely horse reads Danish poems', []],
    ['marie.curie.1867', ['Marie', 'Curie']],
    ['aB3$'.repeat(40), []],
  ]
  const strengths = await Promise.all(requests.map(([password, about]) => judgePassword(password, about)))
  expect(strengths).toEqual(await Promise.all(requests.map(([password, about]) => passwordStrength(password, about))))
})

test('leaves the event loop to others', async () => {
  let judged = false
  const all = Promise.all(Array.from({ length: 10 }, () => judgePassword('aB3$'.repeat(32), []))).then(() => {
    judged = true
  })
  let turns = 0
  while (!judged) {
    await nextTurn()
    turns += 1
  }
  await all
  expect(turns).toBeGreaterThan(100)
})
