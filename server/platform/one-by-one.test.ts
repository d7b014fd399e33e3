import { expect, test } from 'vitest'
import { createOneByOne } from './one-by-one.ts'

test('tasks of one key run in order, also after a failed one; other keys do not wait', async () => {
  const oneByOne = createOneByOne()
  const seen: string[] = []
  const gate = Promise.withResolvers<void>()
  const first = oneByOne('a', async () => {
    await gate.promise
    seen.push('first')
    throw new Error('failed')
  })
  const second = oneByOne('a', async () => void seen.push('second'))
  await oneByOne('b', async () => void seen.push('other'))
  expect(seen).toEqual(['other'])
  gate.resolve()
  await expect(first).rejects.toThrow('failed')
  await second
  expect(seen).toEqual(['other', 'first', 'second'])
})
