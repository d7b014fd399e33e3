import { expect, test } from 'vitest'
import { loginName } from './wordpress-person.ts'

test.each([
  ['Ada Berg', 'x@example.com', 'ada-berg'],
  ['Zoë  O’Neil', 'x@example.com', 'zoe-o-neil'],
  ['Анна Иванова', 'anna.i+wp@example.com', 'anna-i'],
  ['2Pac', 'x@example.com', 'pac'],
  ['', '42@example.com', 'user'],
  ['../../x; DROP', 'x@example.com', 'x-drop'],
  ['A'.repeat(60), 'x@example.com', 'a'.repeat(28)],
  [`${'ab '.repeat(9)}abc`, 'x@example.com', 'ab-ab-ab-ab-ab-ab-ab-ab-ab-a'],
])('login name of %s, %s', (name, email, login) => {
  expect(loginName(name, email)).toBe(login)
  expect(login).toMatch(/^[a-z][a-z0-9_-]{0,31}$/)
})
