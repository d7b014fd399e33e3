import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { releasePooledPages } from './pooled-pages.ts'

const mb = 1024 * 1024
const memory = { other: 0, gives: false, turnedOn: 0 }
let bounded: { stop(): void }

beforeEach(() => {
  vi.useFakeTimers()
  Object.assign(memory, { other: 130 * mb, gives: false, turnedOn: 0 })
  bounded = releasePooledPages({
    otherBytes: () => memory.other,
    giveBack(on) {
      memory.gives = on
      if (on) memory.turnedOn += 1
    },
  })
})
afterEach(() => {
  bounded.stop()
  vi.useRealTimers()
})

const pass = (seconds: number) => vi.advanceTimersByTime(seconds * 1000)

test('collections are the usual ones while little is kept for reuse', () => {
  memory.other += 20 * mb
  pass(60)
  expect(memory.turnedOn).toBe(0)
})

test('pages are given back by the next collection once they are many, and then again', () => {
  memory.other += 60 * mb
  pass(2)
  expect(memory.gives).toBe(true)
  memory.other -= 58 * mb
  pass(2)
  expect(memory.gives).toBe(false)
  pass(60)
  expect(memory.turnedOn).toBe(1)
  memory.other += 60 * mb
  pass(2)
  expect(memory).toMatchObject({ gives: true, turnedOn: 2 })
})

test('memory that does not become free is taken to be in use, until it is free after all', () => {
  memory.other += 60 * mb
  pass(60)
  expect(memory).toMatchObject({ gives: false, turnedOn: 1 })
  memory.other -= 60 * mb
  pass(2)
  memory.other += 60 * mb
  pass(2)
  expect(memory).toMatchObject({ gives: true, turnedOn: 2 })
})
