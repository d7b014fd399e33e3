import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { blockedTasks } from '#tests/e2e/support/blocked-tasks.ts'
import { createLog } from './log.ts'
import { blockedMessage, longestTaskMs, namedTask, runTask, watchLoop, type LoopWatchdog } from './loop-watchdog.ts'

let watchdog: LoopWatchdog | null = null
afterEach(() => {
  watchdog?.stop()
  watchdog = null
})

/** Uses this much CPU time: like the watchdog, it ignores time used by others. */
function compute(ms: number): void {
  const used = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  for (const until = used() + ms; used() < until;) Math.sqrt(ms)
}

function watch() {
  const found: { task: string; tookMs: number }[] = []
  watchdog = watchLoop({
    warn(message, fields) {
      expect(message).toBe(blockedMessage)
      found.push(fields as { task: string; tookMs: number })
    },
  })
  return { watchdog, found }
}
const tooLong = longestTaskMs + 100
const task = (name: string, work: () => Promise<void>) => runTask(namedTask(name), work)
/** Long enough for the watchdog to have checked the loop. */
const looked = () => delay(120)

test('names the task that blocked the loop after an await, among others that did not', async () => {
  const { watchdog: running, found } = watch()
  const busy = async (name: string, block: boolean) =>
    task(name, async () => {
      for (let round = 0; round < 5; round += 1) {
        await delay(5)
        if (block && round === 3) compute(tooLong)
      }
    })
  await Promise.all([busy('GET /one', false), busy('GET /slow', true), busy('GET /other', false)])
  await looked()
  expect(found.map((one) => one.task)).toEqual(['GET /slow'])
  expect(running.figures()).toEqual({ blocked: 1, blockedMs: found[0]?.tookMs })
  expect(found[0]?.tookMs).toBeGreaterThan(longestTaskMs)
})

test('names it when it blocks before its first await, and when it blocks twice', async () => {
  const { found } = watch()
  await looked()
  await task('job create / Copy files', async () => {
    compute(tooLong)
    await delay(1)
    compute(tooLong)
  })
  await looked()
  expect(found.map((one) => one.task)).toEqual(['job create / Copy files', 'job create / Copy files'])
})

test('a callback that belongs to no task is noticed as well', async () => {
  const { found } = watch()
  await new Promise<void>((resolve) => {
    setTimeout(() => {
      compute(tooLong)
      resolve()
    }, 10)
  })
  await looked()
  expect(found.map((one) => one.task)).toEqual(['unknown'])
})

test('consecutive short tasks, waiting and sleeping do not count as blocking', async () => {
  const { watchdog: running, found } = watch()
  const short = (name: string) =>
    task(name, async () => {
      await Promise.resolve()
      compute(20)
    })
  await Promise.all(Array.from({ length: 30 }, (_, at) => short(`GET /${at}`)))
  await task('GET /waits', async () => {
    await delay(longestTaskMs * 2)
  })
  await looked()
  expect(found).toEqual([])
  expect(running.figures()).toEqual({ blocked: 0, blockedMs: 0 })
})

test('a task is described only when it blocked', async () => {
  watch()
  let calls = 0
  const describe = () => {
    calls += 1
    return 'x'
  }
  await runTask({ describe }, async () => {
    await delay(1)
  })
  await looked()
  expect(calls).toBe(0)
})

test('tasks after stopping are not watched', async () => {
  const { watchdog: running, found } = watch()
  running.stop()
  watchdog = null
  expect(await runTask(namedTask('x'), async () => Promise.resolve(7))).toBe(7)
  compute(tooLong)
  await looked()
  expect(found).toEqual([])
})

test('the browser tests find it in the log of a product, in old files as well', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'easydash-watchdog-'))
  const log = createLog({ directory: join(dataDir, 'logs'), terminal: 'none' })
  watchdog = watchLoop(log)
  await task('GET /slow?token=x', async () => {
    await delay(1)
    compute(2 * longestTaskMs + 100)
  })
  await looked()
  log.info('Something else')
  log.close()
  await rename(join(dataDir, 'logs', 'easydash.log'), join(dataDir, 'logs', 'easydash.log.1'))
  expect(await blockedTasks(dataDir)).toEqual([expect.stringMatching(/^GET \/slow\?token=\*{5}: \d+ ms/)])
  await rm(dataDir, { recursive: true })
  expect(await blockedTasks(dataDir)).toEqual([])
})

test('a task that had the processor for less than twice the limit, or for less than half of its time, does not fail the browser tests', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'easydash-watchdog-'))
  const log = createLog({ directory: join(dataDir, 'logs'), terminal: 'none' })
  const entry = { task: 'GET /x', tookMs: 2 * longestTaskMs + 200 }
  log.warn(blockedMessage, { ...entry, processorMs: longestTaskMs / 2 })
  log.warn(blockedMessage, { ...entry, processorMs: 2 * longestTaskMs })
  log.warn(blockedMessage, { ...entry, tookMs: 9 * longestTaskMs, processorMs: 3 * longestTaskMs })
  log.close()
  const found = await blockedTasks(dataDir)
  expect(found.map((line) => / (\d+) ms of the processor/.exec(line)?.[1])).toEqual([String(2 * longestTaskMs)])
  await rm(dataDir, { recursive: true })
})
