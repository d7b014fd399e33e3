import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byteRangeOf } from './byte-range.ts'

test.each([
  ['bytes=0-99', { start: 0, end: 99 }],
  ['bytes=100-', { start: 100, end: 499 }],
  ['bytes=-20', { start: 480, end: 499 }],
  // A suffix or an end beyond the content means what there is.
  ['bytes=-900', { start: 0, end: 499 }],
  ['bytes=490-900', { start: 490, end: 499 }],
  ['Bytes=1-2', { start: 1, end: 2 }],
  [`bytes=0-${'9'.repeat(400)}`, { start: 0, end: 499 }],
  ['bytes=500-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  [`bytes=${'9'.repeat(400)}-`, 'unsatisfiable'],
  ['bytes=5-4', null],
  ['bytes=-', null],
  ['bytes=0-1,5-6', null],
  ['lines=0-1', null],
  ['bytes=+1-2', null],
  ['bytes= 1 - 2 ', null],
  ['', null],
  [undefined, null],
])('%j of 500 bytes is %j', (header, expected) => expect(byteRangeOf(header, 500)).toEqual(expected))

test('a range lies within the content, and nothing of an empty one exists', () => {
  const part = fc.oneof(fc.nat(2000).map(String), fc.constant(''), fc.string())
  fc.assert(
    fc.property(fc.nat(1000), part, part, (size, first, last) => {
      const range = byteRangeOf(`bytes=${first}-${last}`, size)
      if (range === null || range === 'unsatisfiable') return
      expect(range.start).toBeGreaterThanOrEqual(0)
      expect(range.end).toBeGreaterThanOrEqual(range.start)
      expect(range.end).toBeLessThan(size)
    }),
  )
})
