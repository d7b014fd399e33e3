import type { Client, ClientChannel } from 'ssh2'
import { abortError } from '../abort-error.ts'
import type { Timers } from './deadline.ts'
import type { SshError } from './ssh-error.ts'

/** How a command is executed. */
export interface ExecuteOptions {
  /** Sent to the command, which must know its length: standard input stays open, because signals can't be sent after its end. */
  readonly stdin: string | Buffer
  /** Bytes of standard output that are kept. */
  readonly maxBytes: number
  /** The error of a command that prints more, which ends it. Without it the rest is dropped. */
  readonly overflow?: (() => Error) | undefined
  /** Ends the command's process group. */
  readonly signal: AbortSignal
}

/** The end of a command and what it printed, cut to the limits. */
export interface Execution {
  /** Null if a signal ended it. */
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: Buffer
  readonly stderr: Buffer
  readonly isTruncated: boolean
}

/** What a command needs of its connection. */
export interface ExecuteContext {
  readonly client: Client
  readonly timers: Timers
  /** The error of a command that did not end. */
  failed(cause?: unknown): SshError
  /** Ends the connection. */
  abandon(): void
}

const maxErrorBytes = 64 * 1024
/** Time for a command to end after SIGTERM, and for the server to confirm the end after SIGKILL. */
const graceMs = 5_000

function limitedBuffer(limit: number) {
  const chunks: Buffer[] = []
  let left = limit
  let isCut = false
  return {
    add: (chunk: Buffer) => {
      isCut ||= chunk.length > left
      if (left > 0) chunks.push(chunk.subarray(0, left))
      left -= Math.min(left, chunk.length)
    },
    content: () => Buffer.concat(chunks),
    isCut: () => isCut,
  }
}

/**
 * Executes a command line. All output is read, so that nothing waits for it, but only so much is kept. An abort rejects at once; the
 * connection ends if the server does not confirm the command's end.
 */
export function execute(context: ExecuteContext, line: string, options: ExecuteOptions): Promise<Execution> {
  const { client, timers, failed, abandon } = context
  const { signal, stdin, maxBytes, overflow } = options
  const { promise, resolve, reject } = Promise.withResolvers<Execution>()
  const stdout = limitedBuffer(maxBytes)
  const stderr = limitedBuffer(maxErrorBytes)
  let channel: ClientChannel | null = null
  let exit: { code: number | null; signal: string | null } | null = null
  let timer: unknown = null
  let isStopped = false

  const stop = (reason: Error) => {
    if (isStopped) return
    isStopped = true
    reject(reason)
    channel?.signal('TERM')
    timer = timers.setTimeout(() => {
      channel?.signal('KILL')
      channel?.close()
      timer = timers.setTimeout(abandon, graceMs)
    }, graceMs)
  }
  const abort = () => stop(abortError(signal))
  const settle = (outcome: () => void) => {
    signal.removeEventListener('abort', abort)
    timers.clearTimeout(timer)
    outcome()
  }
  signal.addEventListener('abort', abort, { once: true })

  const begin = (error: Error | undefined, opened: ClientChannel) => {
    if (error) return settle(() => reject(failed(error)))
    channel = opened
    opened.on('data', (chunk: Buffer) => {
      stdout.add(chunk)
      if (overflow && stdout.isCut()) stop(overflow())
    })
    opened.stderr.on('data', stderr.add)
    // The connection's end says more.
    opened.on('error', () => undefined)
    opened.on('exit', (code: number | null, name?: string) => {
      exit = { code, signal: name ?? null }
    })
    opened.on('close', () =>
      settle(() => {
        if (exit === null) return reject(failed())
        const isTruncated = stdout.isCut() || stderr.isCut()
        return resolve({ ...exit, stdout: stdout.content(), stderr: stderr.content(), isTruncated })
      }),
    )
    if (isStopped) opened.signal('TERM')
    else opened.write(stdin)
  }
  try {
    client.exec(line, begin)
  } catch (error) {
    // The connection ended a moment ago.
    settle(() => reject(failed(error)))
  }
  return promise
}
