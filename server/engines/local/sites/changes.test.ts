import { expect, test } from 'vitest'
import { canChange, isChanging } from './changes.ts'

const ready = { state: 'ready' } as const

test.each([
  ['move', { move: { from: 'a', to: 'b', aliases: [] } }],
  ['push', { push: { operation: 'one', kind: 'push' } as const }],
  ['core', { core: { operation: 'one', done: 0 } }],
  ['conversion', { conversion: {} }],
  ['databaseMove', { databaseMove: { to: 'mysql' } as const }],
  ['sqlUndo', { sqlUndo: { id: 'a', at: 0, digest: null, stage: 'restore' } as const }],
])('no change begins while a %s goes on', (_name, change) => {
  expect(isChanging(change)).toBe(true)
  expect(canChange({ ...ready, ...change })).toBe(false)
})

test('a change can begin on a ready site, also after a finished move of its database, and with a statement to take back', () => {
  expect(canChange(ready)).toBe(true)
  expect(canChange({ ...ready, databaseMove: { to: 'mysql', finished: true } })).toBe(true)
  expect(canChange({ ...ready, sqlUndo: { id: 'a', at: 0, digest: null } })).toBe(true)
  expect(canChange({ ...ready, stopped: true })).toBe(false)
  expect(canChange({ state: 'archived' })).toBe(false)
})
