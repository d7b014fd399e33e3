import { expect, test } from 'vitest'
import { switchable, switchName } from './apply-change.ts'
import type { Part } from './mutant.ts'

const module = 'server/example.ts'
const text = `
const limit = (a: number) => a > 1
export function may(role: string, user: string) {
  if (role === 'owner' && user !== '') return 'owner'
  const shown = ask(user, limit(2))
  ask(role, true)
  return shown ? shown : 'nobody'
}
`

const mutate = (part: Part, path = 'may', source = text) =>
  switchable(module, source, [{ what: 'it', changes: [{ module, in: path, ...part }] }])

const on = `globalThis.${switchName} === "it"`

test.each<[string, Part, string]>([
  ['a whole function', { answers: 'null' }, `{ if (${on}) return (null); {`],
  ['a condition', { if: ['owner'], is: 'true' }, `if ((${on} ? (true) : role === 'owner' && user !== ''))`],
  ['an operand', { operand: ['user'], is: 'true' }, `role === 'owner' && (${on} ? (true) : user !== '')`],
  ['a call', { call: 'ask', with: ['user'], answers: '$1' }, `shown = (${on} ? ((user)) : ask(user, limit(2)))`],
  ['a statement', { call: 'ask', nth: 2, answers: 'null' }, `void (${on} ? (null) : ask(role, true))`],
  ['an argument', { call: 'limit', argument: 1, is: '3' }, `limit((${on} ? (3) : 2))`],
  ['a returned value', { return: ['shown'], is: '$it' }, `return (${on} ? ((shown ? shown : 'nobody')) : shown ?`],
])('%s is changed while its mutant is on', (_name, part, expected) => {
  expect(mutate(part)).toContain(expected)
})

test('text of another form is the same code', () => {
  const reformatted = text.replaceAll('(user, limit(2))', '(\n    user,\n    limit(2),\n  )')
  expect(mutate({ call: 'limit', argument: 1, is: '3' }, 'may', reformatted)).toContain(`limit((${on} ? (3) : 2))`)
})

test('missing and ambiguous targets are named', () => {
  expect(() => mutate({ answers: 'true' }, 'might')).toThrow('server/example.ts: there is no function might.')
  expect(() => mutate({ call: 'tell', answers: 'true' })).toThrow('server/example.ts, may: there is no call of tell.')
  expect(() => mutate({ if: ['guest'], is: 'true' })).toThrow('may: there is no condition with guest.')
  expect(() => mutate({ call: 'ask', answers: 'true' })).toThrow('more than one call of ask; nth says which.')
  expect(() => mutate({ call: 'ask', nth: 3, answers: 'true' })).toThrow('there is no call of ask (number 3).')
  expect(() => mutate({ call: 'ask', nth: 1, answers: '(' })).toThrow('the changed module is no program.')
})
