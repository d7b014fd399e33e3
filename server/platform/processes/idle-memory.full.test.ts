import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { releaseMemoryWhenIdle } from './idle-memory.ts'

const mb = 1024 * 1024
/** A thread that is idle for a share of the time, and its memory. */
const thread = { idleShare: 1, idle: 0, resident: 130 * mb, collected: 0 }
let released: { stop(): void }

/** Lets seconds pass, during which the thread is idle for a share of the time. */
function pass(seconds: number, idleShare: number): void {
  for (let at = 0; at < seconds * 10; at += 1) {
    thread.idle += 100 * idleShare
    vi.advanceTimersByTime(100)
  }
}

beforeEach(() => {
  vi.useFakeTimers()
  Object.assign(thread, { idle: 0, resident: 130 * mb, collected: 0 })
  released = releaseMemoryWhenIdle({
    idleMs: () => thread.idle,
    nowMs: () => Date.now(),
    residentBytes: () => thread.resident,
    collect() {
      thread.collected += 1
      thread.resident = 60 * mb
    },
  })
})
afterEach(() => {
  released.stop()
  vi.useRealTimers()
})

describe('memory of a load', () => {
  test('stays while requests arrive', () => {
    pass(60, 0.8)
    expect(thread.collected).toBe(0)
  })

  test('is given back once the thread is idle, and not again until it has grown', () => {
    pass(6, 1)
    expect(thread.collected).toBe(1)
    pass(600, 1)
    expect(thread.collected).toBe(1)
    thread.resident = 80 * mb
    pass(60, 1)
    expect(thread.collected).toBe(1)
  })

  test('is given back after a load that ends below what was in use at the last release', () => {
    pass(6, 1)
    thread.resident = 50 * mb
    pass(6, 1)
    thread.resident = 85 * mb
    pass(6, 1)
    expect(thread.collected).toBe(2)
  })

  test('is given back after the next load too', () => {
    pass(6, 1)
    thread.resident = 300 * mb
    pass(20, 0.5)
    expect(thread.collected).toBe(1)
    pass(6, 1)
    expect(thread).toMatchObject({ collected: 2, resident: 60 * mb })
  })
})

// What it saves is in `tests/bench/memory-after-load.bench.ts`.
test('the garbage of this process is collected', async () => {
  released.stop()
  vi.useRealTimers()
  const makeGarbage = () => new WeakRef({})
  const garbage = makeGarbage()
  // The target of a new reference stays until the end of the turn.
  await nextTurn()
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  // However busy this thread is with other tests, the checks find it idle.
  const release = releaseMemoryWhenIdle({ idleMs: () => 2 * performance.now() })
  vi.advanceTimersByTime(2000)
  release.stop()
  expect(garbage.deref()).toBeUndefined()
})
