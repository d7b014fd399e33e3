import type { Client, ClientChannel } from 'ssh2'
import type { SshError } from './ssh-error.ts'

/** Size of a terminal in characters. */
export interface TerminalSize {
  readonly columns: number
  readonly rows: number
}

/** The login shell of a server's user in a pseudo-terminal. It ends with its connection, which is its own. */
export interface RemoteShell {
  /**
   * The next output, up to so many bytes; null once the shell has ended. Until it is called, the server can send no more than the window
   * of SSH. Throws `lost` if the connection broke.
   */
  read(maxBytes: number): Promise<Buffer | null>
  /** Sends input. Resolves when the server had room for it, or the shell has ended. */
  write(input: string): Promise<void>
  resize(size: TerminalSize): void
  /** Its exit code; null before its end, and if a signal ended it. */
  exitCode(): number | null
  close(): void
}

/** What a shell needs of its connection. */
export interface ShellContext {
  readonly client: Client
  /** The error of a shell that did not begin, or whose connection ended. */
  failed(cause?: unknown): SshError
  /** Called when output was read: the server may send as much again. */
  consumed(): void
  /** Ends the connection. */
  close(): void
}

const pixels = { width: 0, height: 0 }

/** Opens a shell. Throws SshError. */
export function openShell(context: ShellContext, { columns, rows }: TerminalSize): Promise<RemoteShell> {
  const { promise, resolve, reject } = Promise.withResolvers<RemoteShell>()
  const terminal = { term: 'xterm-256color', cols: columns, rows, ...pixels }
  context.client.once('close', () => reject(context.failed()))
  try {
    context.client.shell(terminal, (error: Error | undefined, channel: ClientChannel) => {
      if (error) reject(context.failed(error))
      else resolve(shellOn(channel, context))
    })
  } catch (error) {
    // The connection ended a moment ago.
    reject(context.failed(error))
  }
  return promise
}

function shellOn(channel: ClientChannel, { failed, consumed, close }: ShellContext): RemoteShell {
  let exit: { readonly code: number | null } | null = null
  let isClosed = false
  const ended = Promise.withResolvers<void>()
  let wake: () => void = () => undefined
  channel.on('exit', (code: number | null) => {
    exit = { code }
  })
  channel.on('close', () => {
    isClosed = true
    ended.resolve()
    wake()
  })
  channel.on('end', () => wake())
  channel.on('readable', () => wake())
  // The end of the connection says more.
  channel.on('error', () => undefined)
  // A pseudo-terminal has one output only.
  channel.stderr.resume()

  return {
    async read(maxBytes) {
      for (;;) {
        const waiting = new Promise<void>((resolve) => {
          wake = resolve
        })
        const { readableLength } = channel
        if (readableLength > 0) {
          const chunk = channel.read(Math.min(maxBytes, readableLength)) as Buffer | null
          if (chunk !== null) {
            consumed()
            return chunk
          }
        }
        if (isClosed) {
          if (exit === null) throw failed()
          return null
        }
        // Asks for more: without it nothing becomes readable.
        channel.read(0)
        await waiting
      }
    },
    write: (input) =>
      Promise.race([
        ended.promise,
        new Promise<void>((resolve) => {
          channel.write(input, () => resolve())
        }),
      ]),
    resize({ columns, rows }) {
      if (!isClosed) channel.setWindow(rows, columns, pixels.height, pixels.width)
    },
    exitCode: () => exit?.code ?? null,
    close,
  }
}
