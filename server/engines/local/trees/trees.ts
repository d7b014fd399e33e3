import { abortError } from '#server/platform/abort-error.ts'
import { fork, type ChildProcess } from 'node:child_process'
import { PassThrough, type Readable } from 'node:stream'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import type { TreeMessage, TreeTasks } from './tasks.ts'

/** Work on the trees of sites, each task in a separate short-lived process: the dashboard never walks them itself. */
export interface Trees {
  /**
   * Resolves with the result. `onProgress` gets the number of files so far, and, of a task that knows it, how much is done (0 to 1).
   * Rejects with the EngineError or system error of the task, or the signal's reason; no process
   * is left then.
   */
  run<T extends keyof TreeTasks>(
    task: T,
    input: TreeTasks[T]['input'],
    options?: {
      signal?: AbortSignal
      onProgress?: (files: number, done?: number) => void
      /** What the task needs at its end only, while it works already; its failure is that of the task. */
      later?: Promise<unknown>
    },
  ): Promise<TreeTasks[T]['result']>
  /**
   * Resolves with what the task writes to its standard output, as soon as it has written something. The stream fails if the
   * task does; destroying it ends the process.
   */
  stream<T extends keyof TreeTasks>(task: T, input: TreeTasks[T]['input']): Promise<Readable>
  /** Stops all tasks; resolves when no process is left. */
  stop(): Promise<void>
}

/** Memory limit of such a process in MB; far above what the largest allowed site needs. */
const maxMb = 512

/**
 * Creates it; nothing runs yet.
 * @param compileCache folder only we can write, in which processes keep their compiled code: they start in 80 instead of 190 ms
 */
export function createTrees(compileCache: string | null = null): Trees {
  const running = new Set<Promise<unknown>>()
  const stopping = new AbortController()
  const track = (work: Promise<unknown>): void => {
    // The caller gets the failure; this only waits.
    const settled = work.catch(() => undefined).finally(() => running.delete(settled))
    running.add(settled)
  }
  return {
    run: (task, input, { signal, onProgress, later } = {}) => {
      const either = signal === undefined ? stopping.signal : AbortSignal.any([signal, stopping.signal])
      const options = {
        compileCache,
        signal: either,
        ...(onProgress ? { onProgress } : {}),
        ...(later ? { later } : {}),
      }
      const work = runTask({ task, input }, options)
      track(work)
      return work as Promise<never>
    },
    stream: (task, input) => {
      const { promise, resolve, reject } = Promise.withResolvers<Readable>()
      const ending = new AbortController()
      const signal = AbortSignal.any([stopping.signal, ending.signal])
      const outputs: Readable[] = []
      const work = runTask({ task, input }, { compileCache, signal, onOutput: (output) => void outputs.push(output) })
      track(work)
      work.catch(reject)
      for (const output of outputs) {
        const stream = outputOf(output, work, () => ending.abort(new Error('The download was ended.')))
        stream.once('error', reject)
        stream.once('readable', () => resolve(stream))
      }
      return promise
    },
    stop: async () => {
      stopping.abort(
        new EngineError('unavailable', msg`The engine is stopping.`, { nextAction: msg`Start Easydash again.` }),
      )
      await Promise.all(running)
    },
  }
}

/** What a task writes, ending only once it has succeeded: a broken archive must not look like a complete one. */
function outputOf(output: Readable, work: Promise<unknown>, end: () => void): Readable {
  const stream = new PassThrough()
  stream.once('close', end)
  output.once('error', (error) => stream.destroy(error))
  output.pipe(stream, { end: false })
  const isRead = new Promise<void>((resolve) => {
    output.once('close', resolve)
  })
  work.then(
    () => void isRead.then(() => stream.end()),
    (error: unknown) => stream.destroy(error instanceof Error ? error : new Error(String(error))),
  )
  return stream
}

interface RunOptions {
  readonly compileCache: string | null
  readonly signal: AbortSignal
  readonly onProgress?: (files: number, done?: number) => void
  readonly later?: Promise<unknown>
  /** Receives the standard output, which is discarded otherwise. */
  readonly onOutput?: (output: Readable) => void
}

function startProcess(hasOutput: boolean, compileCache: string | null): ChildProcess {
  return fork(new URL('./tree-process.ts', import.meta.url), [], {
    execArgv: [`--max-old-space-size=${maxMb}`, '--disable-warning=ExperimentalWarning'],
    // Does not inherit our environment, which contains the database's address and keys.
    env: compileCache === null ? {} : { NODE_COMPILE_CACHE: compileCache },
    cwd: '/',
    stdio: ['ignore', hasOutput ? 'pipe' : 'ignore', 'ignore', 'ipc'],
    // Limits may be infinite, which JSON can't represent.
    serialization: 'advanced',
    // A separate session: Ctrl+C in the terminal reaches only the engine, which then stops its children gracefully.
    detached: true,
  })
}

function runTask(request: { task: keyof TreeTasks; input: unknown }, options: RunOptions): Promise<unknown> {
  const { compileCache, signal, onProgress, later, onOutput } = options
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(abortError(signal))
      return
    }
    const child = startProcess(onOutput !== undefined, compileCache)
    let last: TreeMessage | null = null
    const abort = (): void => void child.kill('SIGKILL')
    let lacking: Error | null = null
    later?.then(
      (value) => child.connected && child.send(value as object, () => undefined),
      (error: unknown) => {
        lacking = error instanceof Error ? error : new Error(String(error))
        abort()
      },
    )
    signal.addEventListener('abort', abort)
    child.on('message', (message: TreeMessage) => {
      if (message.type === 'progress') onProgress?.(message.files, message.done)
      else last = message
    })
    const settle = (error?: Error, end?: string | number | null): void => {
      signal.removeEventListener('abort', abort)
      if (last?.type === 'done') resolve(last.result)
      else if (signal.aborted) reject(abortError(signal))
      else reject(lacking ?? error ?? errorOf(last, end))
    }
    // A child that failed to start never emits `exit`.
    child.once('error', (error) => {
      if (child.pid === undefined) settle(error)
    })
    child.once('exit', (code, killedBy) => settle(undefined, killedBy ?? code))
    if (child.stdout !== null) onOutput?.(child.stdout)
    child.send(request, () => undefined)
  })
}

function errorOf(last: TreeMessage | null, end: string | number | null | undefined): Error {
  if (last?.type === 'refused')
    return new EngineError(last.code, last.localized, { nextAction: last.nextAction, retryable: last.retryable })
  if (last?.type === 'failed') {
    const { message, code, path, syscall } = last
    return Object.assign(new Error(message), {
      ...(code === undefined ? {} : { code }),
      ...(path === undefined ? {} : { path }),
      ...(syscall === undefined ? {} : { syscall }),
    })
  }
  return new EngineError('unavailable', msg`The work on the site’s files ended unexpectedly.`, {
    retryable: true,
    nextAction: msg`Try again; if it fails again, look whether this machine has enough memory.`,
    cause: new Error(`The process ended with ${end ?? 'no code'}.`),
  })
}
