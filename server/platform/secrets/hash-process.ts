import { fork, type ChildProcess } from 'node:child_process'
import { deriveInProcess, type Derive, type HashRequest } from './argon2.ts'
import type { Log } from '../log/log.ts'

/** A request to the child. */
export interface HashMessage {
  id: number
  request: HashRequest
}

/** The child's response. */
export interface HashResponse {
  id: number
  tag?: Uint8Array
  error?: string
}

/** Milliseconds after which an idle child is stopped. */
const idleAfterMs = 15_000

/** The child does not inherit our environment, which contains the database's address and keys. */
const environment = {
  // Huge pages save a quarter of a hash's time: 16,384 page faults of 4 KiB.
  GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1',
  UV_THREADPOOL_SIZE: '2',
}

interface Waiting {
  request: HashRequest
  resolve(tag: Buffer): void
  reject(error: unknown): void
}

/** Hashing in a separate process. */
export interface HashProcess {
  derive: Derive
  /** Process id while the child runs; otherwise null. */
  pid(): number | null
}

/**
 * Computes hashes in a child process that is started on demand and stopped when idle: huge pages can only be enabled when a
 * process starts, and the server keeps its threads free for files and its memory unfragmented. If the child can't start or
 * ends early, its pending hashes are computed in this process.
 */
export function openHashProcess(log: Pick<Log, 'warn'>, idleMs: number = idleAfterMs): HashProcess {
  const waiting = new Map<number, Waiting>()
  let child: ChildProcess | null = null
  let last = 0
  let idle: NodeJS.Timeout | null = null

  /** The child keeps our process alive only while a hash is pending. */
  const hold = (held: ChildProcess, keep: boolean) => {
    const how = keep ? 'ref' : 'unref'
    held[how]()
    held.channel?.[how]()
  }

  function end(): void {
    if (child?.connected) child.disconnect()
    child = null
  }

  function settled(from: ChildProcess): void {
    if (waiting.size > 0 || child !== from) return
    hold(from, false)
    idle = setTimeout(end, idleMs).unref()
  }

  /** Computes the pending hashes of a child that is gone. */
  function takeOver(from: ChildProcess, reason: unknown): void {
    if (child !== from) return
    child = null
    const pendingRequests = [...waiting.values()]
    waiting.clear()
    if (pendingRequests.length > 0) log.warn('The process for password hashes ended early', { error: reason })
    for (const { request, resolve, reject } of pendingRequests) deriveInProcess(request).then(resolve, reject)
  }

  function start(): ChildProcess {
    const started = fork(new URL('./hash-child.ts', import.meta.url), [], {
      serialization: 'advanced',
      execArgv: ['--disable-warning=ExperimentalWarning', '--disable-sigusr1'],
      env: environment,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const kill = () => void started.kill('SIGKILL')
    process.once('exit', kill)
    started.on('message', ({ id, tag, error }: HashResponse) => {
      const request = waiting.get(id)
      waiting.delete(id)
      if (tag) request?.resolve(Buffer.from(tag))
      else request?.reject(new Error(error ?? 'no answer'))
      settled(started)
    })
    started.once('error', (error) => takeOver(started, error))
    started.once('exit', (code, signal) => {
      process.off('exit', kill)
      takeOver(started, { code, signal })
    })
    return started
  }

  return {
    derive: (request) =>
      new Promise((resolve, reject) => {
        if (idle !== null) clearTimeout(idle)
        idle = null
        child ??= start()
        const target = child
        hold(target, true)
        last += 1
        waiting.set(last, { request, resolve, reject })
        // If the pipe is closed already, the child's exit event reports it, too.
        target.send({ id: last, request } satisfies HashMessage, (error) => {
          if (error) takeOver(target, error)
        })
      }),
    pid: () => child?.pid ?? null,
  }
}
