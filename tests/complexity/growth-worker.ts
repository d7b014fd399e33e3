/** Runs the cases of a module one after the other and tells how each one's work grew with its input. */
import { parentPort, workerData } from 'node:worker_threads'
import type { GrowthCase } from './growth-case.ts'
import type { WorkerMessage, WorkerTask } from './growth.ts'

const { module, from, sizes } = workerData as WorkerTask

/** Enough to be measured well: above it inputs need not grow any further. */
const enoughMs = 20
/** An input is compared with one of this part of its length. */
const part = 8
/** How much more work so much more input may cost: it is 8 times as much when linear, 64 times when quadratic. */
const maxGrowth = 20
/** Below it is no doubt; between the two a longer input decides. */
const clearGrowth = 11
/** A measurement that the garbage collector disturbed is repeated; real growth is found again every time. */
const confirmations = 4

/** Processor time of this thread: that others use the machine, too, does not count. Its steps may be 4 ms long. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Processor time of one run, from as many as take long enough together. */
async function workOf(one: GrowthCase, input: string): Promise<number> {
  const started = processorMs()
  for (let rounds = 1; ; rounds += 1) {
    await one.run(input)
    const spent = processorMs() - started
    if (spent >= 3 * enoughMs) return spent / rounds
  }
}

/** Whether an input takes next to no time; the first run also compiles. */
async function isFast(one: GrowthCase, input: string): Promise<boolean> {
  for (let round = 0; round < 3; round += 1) {
    const started = performance.now()
    await one.run(input)
    if (performance.now() - started < enoughMs) return true
  }
  return false
}

/** How much more work an input of this size costs than its part: the least of some measurements. */
async function growthAt(one: GrowthCase, size: number): Promise<number> {
  let least = Infinity
  for (let round = 0; round < confirmations && least > maxGrowth; round += 1)
    least = Math.min(least, (await workOf(one, one.input(size))) / (await workOf(one, one.input(size / part))))
  return least
}

/** The problem of a case; null without one. */
async function findProblem(one: GrowthCase): Promise<string | null> {
  for (let size = sizes.first; size <= sizes.last; size *= 2) {
    if (await isFast(one, one.input(size))) continue
    const growth = await growthAt(one, size)
    if (growth > maxGrowth) return `${size} characters cost ${growth.toFixed(1)} times as much as 1/${part} of them`
    // What grows with the square of the input is hidden by what does not only while inputs are short.
    if (growth < clearGrowth) return null
  }
  return null
}

const send = (message: WorkerMessage) => parentPort?.postMessage(message)
const { cases } = (await import(module)) as { cases: readonly GrowthCase[] }
send({ kind: 'loaded' })
for (const [at, one] of cases.entries()) {
  if (at < from) continue
  send({ kind: 'start', at, name: one.name })
  send({ kind: 'end', problem: await findProblem(one) })
}
send({ kind: 'done', count: cases.length })
