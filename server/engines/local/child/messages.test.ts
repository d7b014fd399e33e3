import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseFromChild } from './messages.ts'

test.each([
  { type: 'hello' },
  { type: 'ready', journalMode: null },
  { type: 'ready', journalMode: 'delete' },
  { type: 'failed', reason: 'why' },
  { type: 'run-start', run: 1, request: 2 },
  { type: 'run-start', run: 1, request: null },
  { type: 'begun', id: 1 },
  { type: 'run-admin', run: 1 },
  { type: 'run-end', run: 1 },
  { type: 'result', id: 1, ok: false, reason: 'why' },
  { type: 'result', id: 1, ok: true, result: { value: { a: 1 }, headers: { 'set-cookie': ['a=b'] } } },
])('%j is a message', (message) => {
  expect(parseFromChild(message)).toEqual(message)
})

test.each([
  null,
  [],
  'hello',
  { type: 'ready' },
  { type: 'ready', journalMode: {} },
  { type: 'ready', journalMode: 'x'.repeat(21) },
  { type: 'failed', reason: { toString: 1 } },
  { type: 'run-start', run: '1' },
  { type: 'begun', id: null },
  { type: 'run-start', run: 1.5 },
  { type: 'run-start', run: 1 },
  { type: 'run-start', run: 1, request: 'x' },
  { type: 'result', id: '1', ok: false, reason: 'why' },
  { type: 'result', id: 1, ok: 'true' },
  { type: 'result', id: 1, ok: true, result: { value: 1 } },
  { type: 'result', id: 1, ok: true, result: { value: 1, headers: { 'set-cookie': 'a=b' } } },
  { type: 'boot' },
])('%j is none', (value) => {
  expect(parseFromChild(value)).toBeNull()
})

test('invalid cookies are rejected', () => {
  const headers = { 'set-cookie': ['a=b', 1, null, { x: 1 }], location: ['/'] }
  expect(parseFromChild({ type: 'result', id: 1, ok: true, result: { value: 1, headers } })).toEqual({
    type: 'result',
    id: 1,
    ok: true,
    result: { value: 1, headers: { 'set-cookie': ['a=b'] } },
  })
})

test.each([
  { type: 'failed', reason: 'x'.repeat(5_000) },
  { type: 'result', id: 1, ok: false, reason: 'x'.repeat(5_000) },
])('of a long reason the beginning is kept: $type', (message) => {
  expect(parseFromChild(message)).toEqual({ ...message, reason: 'x'.repeat(2_000) })
})

test('no input makes it throw', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.anything(),
        fc.record({
          type: fc.constantFrom('hello', 'ready', 'failed', 'run-start', 'begun', 'result'),
          id: fc.anything(),
          ok: fc.anything(),
          result: fc.anything(),
        }),
      ),
      (value) => {
        parseFromChild(value)
      },
    ),
  )
})
