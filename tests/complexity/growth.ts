/** Finds functions whose work grows faster than their input. */
import { Worker } from 'node:worker_threads'

/** Lengths of the inputs: the first, and the last that is tried when all before took next to no time. */
interface Sizes {
  first: number
  last: number
}

/** What a worker is given. */
export interface WorkerTask {
  /** URL of a module that exports `cases`. */
  module: string
  /** Index of the first case. */
  from: number
  sizes: Sizes
}

/** What a worker tells. */
export type WorkerMessage =
  | { kind: 'loaded' }
  | { kind: 'start'; at: number; name: string }
  | { kind: 'end'; problem: string | null }
  | { kind: 'done'; count: number }

/** Longest time in which the cases of a module are made: a busy machine reads all sources of the product meanwhile. */
const loadingMs = 180_000

/** What came of the cases of a module. */
export interface GrowthReport {
  count: number
  problems: { name: string; problem: string }[]
}

/**
 * Measures every case of a module (it exports `cases: GrowthCase[]`) in a worker, so that work without end cannot hang
 * the tests: it is ended after its deadline, and the next case has a worker of its own. On an idle machine a case takes
 * milliseconds; one that is not done after 30 s is exponential or close to it.
 */
export async function measureGrowth(
  module: URL,
  sizes: Sizes = { first: 1024, last: 65_536 },
  deadlineMs = 30_000,
): Promise<GrowthReport> {
  const problems: GrowthReport['problems'] = []
  for (let from = 0; ;) {
    const end = await runWorker({ module: module.href, from, sizes }, problems, deadlineMs)
    if (end.kind === 'done') return { count: end.count, problems }
    problems.push({ name: end.name, problem: `did not end within ${deadlineMs / 1000} s` })
    from = end.at + 1
  }
}

/** Runs cases until all are done, or until one passes its deadline. */
function runWorker(
  task: WorkerTask,
  problems: GrowthReport['problems'],
  deadlineMs: number,
): Promise<Extract<WorkerMessage, { kind: 'done' | 'start' }>> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('growth-worker.ts', import.meta.url), { workerData: task })
    let current: Extract<WorkerMessage, { kind: 'start' }> | null = null
    const passed = () => {
      void worker.terminate()
      if (current === null) reject(new Error(`${task.module} did not load within ${loadingMs / 1000} s.`))
      else resolve(current)
    }
    let deadline = setTimeout(passed, loadingMs)
    worker.on('message', (message: WorkerMessage) => {
      clearTimeout(deadline)
      if (message.kind === 'done') {
        resolve(message)
        return
      }
      if (message.kind === 'start') current = message
      else if (message.kind === 'end' && message.problem !== null && current !== null)
        problems.push({ name: current.name, problem: message.problem })
      deadline = setTimeout(passed, deadlineMs)
    })
    worker.on('error', (error: Error) => {
      clearTimeout(deadline)
      reject(error)
    })
  })
}
