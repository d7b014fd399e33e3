import { abortError } from '#server/platform/abort-error.ts'
import { fork } from 'node:child_process'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import type { TreeMessage, TreeTasks } from './tasks.ts'

/** Work on the trees of sites, each task in a separate short-lived process: the dashboard never walks them itself. */
export interface Trees {
  /**
   * Resolves with the result. Rejects with the EngineError or system error of the task, or the signal's reason; no process
   * is left then.
   */
  run<T extends keyof TreeTasks>(
    task: T,
    input: TreeTasks[T]['input'],
    options?: { signal?: AbortSignal; onProgress?: (files: number) => void },
  ): Promise<TreeTasks[T]['result']>
  /** Stops all tasks; resolves when no process is left. */
  stop(): Promise<void>
}

/** Memory limit of such a process in MB; far above what the largest allowed site needs. */
const maxMb = 512

/** Creates it; nothing runs yet. */
export function createTrees(): Trees {
  const running = new Set<Promise<unknown>>()
  const stopping = new AbortController()
  return {
    run: (task, input, { signal, onProgress } = {}) => {
      const either = signal === undefined ? stopping.signal : AbortSignal.any([signal, stopping.signal])
      const work = runTask({ task, input }, either, onProgress)
      // The caller gets the failure; this only waits.
      const settled = work.catch(() => undefined).finally(() => running.delete(settled))
      running.add(settled)
      return work as Promise<never>
    },
    stop: async () => {
      stopping.abort(
        new EngineError('unavailable', msg`The engine is stopping.`, { nextAction: msg`Start Easydash again.` }),
      )
      await Promise.all(running)
    },
  }
}

function runTask(
  request: { task: keyof TreeTasks; input: unknown },
  signal: AbortSignal,
  onProgress?: (files: number) => void,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(abortError(signal))
      return
    }
    const child = fork(new URL('./tree-process.ts', import.meta.url), [], {
      execArgv: [`--max-old-space-size=${maxMb}`, '--disable-warning=ExperimentalWarning'],
      // Does not inherit our environment, which contains the database's address and keys.
      env: {},
      cwd: '/',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // Limits may be infinite, which JSON can't represent.
      serialization: 'advanced',
      // A separate session: Ctrl+C in the terminal reaches only the engine, which then stops its children gracefully.
      detached: true,
    })
    let last: TreeMessage | null = null
    const abort = (): void => void child.kill('SIGKILL')
    signal.addEventListener('abort', abort)
    child.on('message', (message: TreeMessage) => {
      if (message.type === 'progress') onProgress?.(message.files)
      else last = message
    })
    const settle = (error?: Error): void => {
      signal.removeEventListener('abort', abort)
      if (last?.type === 'done') resolve(last.result)
      else if (signal.aborted) reject(abortError(signal))
      else reject(error ?? errorOf(last))
    }
    // A child that failed to start never emits `exit`.
    child.once('error', (error) => {
      if (child.pid === undefined) settle(error)
    })
    child.once('exit', () => settle())
    child.send(request, () => undefined)
  })
}

function errorOf(last: TreeMessage | null): Error {
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
  })
}
