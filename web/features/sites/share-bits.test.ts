import { expect, test } from 'vitest'
import { withBit } from './share-bits.ts'

const none = { read: 0, write: 0, share: 0 } as const
const all = { read: 1, write: 1, share: 1 } as const

test('a bit brings those it rests on', () => {
  expect(withBit(none, 'read', true)).toEqual({ read: 1, write: 0, share: 0 })
  expect(withBit(none, 'write', true)).toEqual({ read: 1, write: 1, share: 0 })
  expect(withBit(none, 'share', true)).toEqual(all)
})

test('without a bit nothing that rests on it stays', () => {
  expect(withBit(all, 'share', false)).toEqual({ read: 1, write: 1, share: 0 })
  expect(withBit(all, 'write', false)).toEqual({ read: 1, write: 0, share: 0 })
  expect(withBit(all, 'read', false)).toEqual(none)
})
