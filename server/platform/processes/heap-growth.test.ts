import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { afterAll, expect, test } from 'vitest'
import { limitHeapGrowth } from './heap-growth.ts'

afterAll(() => setFlagsFromString('--heap-growing-percent=0'))

/** Keeps some objects, and replaces others as soon as they count as long-lived; posts the largest size of the heap. */
const churn = `
  const { parentPort } = require('node:worker_threads')
  const { getHeapStatistics } = require('node:v8')
  const kept = Array.from({ length: 400_000 }, (_, at) => ({ at, text: 'text ' + at }))
  const replaced = []
  let most = 0
  for (let at = 0; at < 4_000_000; at += 1) {
    replaced[at % 200_000] = { at, text: 'other ' + at }
    if (at % 20_000 === 0) most = Math.max(most, getHeapStatistics().total_heap_size)
  }
  parentPort.postMessage(kept.length && most)`

/** The largest heap of a thread of its own, in MB; its young generation is bounded as that of the product. */
async function largestHeap(): Promise<number> {
  const worker = new Worker(churn, { eval: true, resourceLimits: { maxYoungGenerationSizeMb: 16 } })
  try {
    return await new Promise<number>((resolve, reject) => {
      worker.once('message', (bytes: number) => resolve(bytes / 1024 / 1024))
      worker.once('error', reject)
    })
  } finally {
    await worker.terminate()
  }
}

test('garbage among long-lived objects is collected before it takes as much as they do', async () => {
  const before = await largestHeap()
  limitHeapGrowth()
  expect(await largestHeap()).toBeLessThan(0.8 * before)
})
