import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { blockedMessage, longestTaskMs, namedTask, runTask, watchLoop, type LoopWatchdog } from './loop-watchdog.ts'

let watchdog: LoopWatchdog | null = null
/** What the thread did so far, as far as the watchdog knows. */
let spent: { slept: number; waited: number; used: number }
beforeEach(() => {
  spent = { slept: 0, waited: 0, used: 0 }
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
})
afterEach(() => {
  watchdog?.stop()
  watchdog = null
  vi.useRealTimers()
})

const times = {
  now: () => spent.slept + spent.waited + spent.used,
  slept: () => spent.slept,
  waited: () => spent.waited,
  used: () => spent.used,
  close: () => undefined,
}
/** Time passes, as if the thread had been busy. */
const compute = (ms: number) => void (spent.used += ms)
/** The watchdog looks, as it does every 50 ms. */
const looks = () => vi.advanceTimersByTime(50)

function watch() {
  const found: { task: string; tookMs: number; processorMs: number }[] = []
  const warn = (message: string, fields: unknown) => {
    expect(message).toBe(blockedMessage)
    found.push(fields as { task: string; tookMs: number; processorMs: number })
  }
  watchdog = watchLoop({ warn }, times)
  return { watchdog, found }
}
const tooLong = longestTaskMs + 1
const task = (name: string, work: () => Promise<void>) => runTask(namedTask(name), work)

test('names the task that blocked the loop after an await, among others that did not', async () => {
  const { watchdog: running, found } = watch()
  const busy = async (name: string, block: boolean) =>
    task(name, async () => {
      for (let round = 0; round < 5; round += 1) {
        await nextTurn()
        compute(block && round === 3 ? tooLong : longestTaskMs)
      }
    })
  await Promise.all([busy('GET /one', false), busy('GET /slow', true), busy('GET /other', false)])
  looks()
  expect(found).toEqual([{ task: 'GET /slow', tookMs: tooLong, processorMs: tooLong }])
  expect(running.figures()).toEqual({ blocked: 1, blockedMs: tooLong })
})

test('names it when it blocks before its first await, and when it blocks twice', async () => {
  const { found } = watch()
  await task('job create / Copy files', async () => {
    compute(tooLong)
    await nextTurn()
    compute(tooLong)
  })
  looks()
  expect(found.map((one) => one.task)).toEqual(['job create / Copy files', 'job create / Copy files'])
})

test('a callback that belongs to no task is noticed as well', () => {
  const { found } = watch()
  compute(tooLong)
  looks()
  expect(found.map((one) => one.task)).toEqual(['unknown'])
})

test('consecutive short tasks, an idle loop and waiting for a processor do not count as blocking', async () => {
  const { watchdog: running, found } = watch()
  const short = (name: string) =>
    task(name, async () => {
      await Promise.resolve()
      compute(longestTaskMs / 2)
    })
  await Promise.all(Array.from({ length: 30 }, (_, at) => short(`GET /${at}`)))
  for (const how of ['slept', 'waited'] as const)
    await task(`GET /${how}`, async () => {
      await nextTurn()
      spent[how] += 10 * tooLong
    })
  looks()
  expect(found).toEqual([])
  expect(running.figures()).toEqual({ blocked: 0, blockedMs: 0 })
})

test('a task is described only when it blocked', async () => {
  watch()
  const describe = vi.fn(() => 'x')
  const work = (ms: number) =>
    runTask({ describe }, async () => {
      await nextTurn()
      compute(ms)
    })
  await work(longestTaskMs)
  looks()
  expect(describe).not.toHaveBeenCalled()
  await work(tooLong)
  looks()
  expect(describe).toHaveBeenCalledOnce()
})

test('tasks after stopping are not watched', async () => {
  const { watchdog: running, found } = watch()
  running.stop()
  watchdog = null
  expect(await runTask(namedTask('x'), async () => Promise.resolve(7))).toBe(7)
  compute(tooLong)
  looks()
  expect(found).toEqual([])
})

test('the real times of the thread tell a task that blocks it', async () => {
  vi.useRealTimers()
  const found: unknown[] = []
  watchdog = watchLoop({ warn: (_, fields) => found.push(fields) })
  await task('GET /slow', async () => {
    await nextTurn()
    for (const begun = process.threadCpuUsage().user; process.threadCpuUsage().user < begun + 2000 * longestTaskMs;);
  })
  await expect.poll(() => found).toContainEqual(expect.objectContaining({ task: 'GET /slow' }))
})
