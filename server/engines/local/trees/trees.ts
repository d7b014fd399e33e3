import { fork } from 'node:child_process'
import { say } from '#shared/sentence.ts'
import { EngineError } from '../../engine.ts'
import type { TreeMessage, TreeTasks } from './tasks.ts'

/** Work on the trees of sites, each piece in a short-lived process of its own: the dashboard never walks them itself. */
export interface Trees {
  /**
   * Resolves with the answer. Rejects with the EngineError or system error of the work, or the signal's reason; no
   * process is left then.
   */
  run<T extends keyof TreeTasks>(
    task: T,
    input: TreeTasks[T]['input'],
    options?: { signal?: AbortSignal; onProgress?: (files: number) => void },
  ): Promise<TreeTasks[T]['answer']>
  /** Ends all work; resolves when no process is left. */
  stop(): Promise<void>
}

/** Most memory of such a process, in MB; far above what the largest allowed site needs. */
const mostMb = 512

/** Opens it; nothing runs yet. */
export function createTrees(): Trees {
  const running = new Set<Promise<unknown>>()
  const stopping = new AbortController()
  return {
    run: (task, input, { signal, onProgress } = {}) => {
      const either = signal === undefined ? stopping.signal : AbortSignal.any([signal, stopping.signal])
      const work = runTask({ task, input }, either, onProgress)
      // Whoever asked hears of a failure; this only waits.
      const settled = work.catch(() => undefined).finally(() => running.delete(settled))
      running.add(settled)
      return work as Promise<never>
    },
    stop: async () => {
      stopping.abort(
        new EngineError('unavailable', say`The engine is stopping.`, { nextAction: say`Start Easydash again.` }),
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
      reject(signal.reason as Error)
      return
    }
    const child = fork(new URL('./tree-process.ts', import.meta.url), [], {
      execArgv: [`--max-old-space-size=${mostMb}`, '--disable-warning=ExperimentalWarning'],
      // Nothing of our environment: it holds the database's address and keys.
      env: {},
      cwd: '/',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // Limits may be infinite, which JSON cannot say.
      serialization: 'advanced',
      // An own session: Ctrl+C in the terminal reaches the engine only, which then ends its children in order.
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
      if (last?.type === 'done') resolve(last.answer)
      else if (signal.aborted) reject(signal.reason as Error)
      else reject(error ?? errorOf(last))
    }
    // A child that could not even be started never exits.
    child.once('error', (error) => {
      if (child.pid === undefined) settle(error)
    })
    child.once('exit', () => settle())
    child.send(request, () => undefined)
  })
}

function errorOf(last: TreeMessage | null): Error {
  if (last?.type === 'refused')
    return new EngineError(last.code, last.sentence, { nextAction: last.nextAction, retryable: last.retryable })
  if (last?.type === 'failed') {
    const { message, code, path, syscall } = last
    return Object.assign(new Error(message), {
      ...(code === undefined ? {} : { code }),
      ...(path === undefined ? {} : { path }),
      ...(syscall === undefined ? {} : { syscall }),
    })
  }
  return new EngineError('unavailable', say`The work on the site’s files ended unexpectedly.`, {
    retryable: true,
    nextAction: say`Try again; if it fails again, look whether this machine has enough memory.`,
  })
}
