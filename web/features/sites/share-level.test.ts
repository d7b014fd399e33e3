import { expect, test } from 'vitest'
import { bitsOf, isLowered, levelOf, shareLevels } from './share-level.ts'

test('a level includes the lower levels', () => {
  expect(bitsOf('read')).toEqual({ read: 1, write: 0, share: 0 })
  expect(bitsOf('write')).toEqual({ read: 1, write: 1, share: 0 })
  expect(bitsOf('share')).toEqual({ read: 1, write: 1, share: 1 })
  expect(bitsOf(null)).toEqual({ read: 0, write: 0, share: 0 })
})

test('permissions map to the highest level among them', () => {
  for (const level of [...shareLevels, null]) expect(levelOf(bitsOf(level))).toBe(level)
  expect(levelOf({ read: 1, write: 0, share: 1 })).toBe('share')
})

test('less is less, and more or the same is not', () => {
  const [read, write, none] = [bitsOf('read'), bitsOf('write'), bitsOf(null)]
  expect([isLowered(write, read), isLowered(read, none)]).toEqual([true, true])
  expect([isLowered(read, write), isLowered(read, read), isLowered(none, read)]).toEqual([false, false, false])
})
