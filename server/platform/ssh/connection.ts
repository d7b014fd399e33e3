import type { Timers } from './deadline.ts'
import { execute, type ExecuteOptions, type Execution } from './execute.ts'
import type { OpenClient } from './open-client.ts'
import { openShell, type RemoteShell, type TerminalSize } from './shell.ts'
import { SshError, sshErrors } from './ssh-error.ts'

/** What a server may send while no command runs: keepalives and its other host keys. */
const idleBytes = 64 * 1024
/** What a command may send beyond what is kept of it (the rest is read and dropped), and a shell between two readings of its output. */
const droppedBytes = 4 * 1024 * 1024

/** What ssh2 says if a server starts no program for us. */
const refusals = new Set(['Unable to exec', 'Unable to open shell', 'Unable to request a pseudo-terminal'])

/** An authenticated connection to a server. Several commands can run on it at once. */
export class SshConnection {
  /** Resolves when it has ended, for whatever reason. */
  readonly ended: Promise<void>
  readonly #open: OpenClient
  readonly #timers: Timers
  readonly #address: string
  #failure: SshError | null = null
  #running = 0

  constructor(open: OpenClient, address: string, timers: Timers) {
    this.#open = open
    this.#timers = timers
    this.#address = address
    open.traffic.set(idleBytes)
    open.client.on('error', (error) => {
      if (error instanceof SshError) this.#failure ??= error
    })
    this.ended = new Promise((resolve) => {
      open.client.once('close', resolve)
      if (open.socket.closed) resolve()
    })
  }

  /** Whether commands can be sent; false from the moment that an end is known. */
  get isUsable(): boolean {
    const { socket } = this.#open
    return socket.writable && socket.readable
  }

  /** Executes a command line. Throws SshError, or the reason of the signal. */
  async execute(line: string, options: ExecuteOptions): Promise<Execution> {
    const { client, traffic } = this.#open
    if (!this.isUsable) throw this.#failed()
    this.#running += 1
    traffic.add(options.maxBytes + droppedBytes)
    try {
      return await execute(
        { client, timers: this.#timers, failed: (cause) => this.#failed(cause), abandon: () => this.close() },
        line,
        options,
      )
    } finally {
      this.#running -= 1
      if (this.#running === 0) traffic.set(idleBytes)
    }
  }

  /** Opens a shell, on a connection that is used for nothing else. Throws SshError. */
  async openShell(size: TerminalSize): Promise<RemoteShell> {
    const { client, traffic } = this.#open
    if (!this.isUsable) throw this.#failed()
    // A server that ignores the window of a channel whose output nobody reads would fill the memory.
    const consumed = () => traffic.set(droppedBytes)
    consumed()
    return openShell({ client, consumed, failed: (cause) => this.#failed(cause), close: () => this.close() }, size)
  }

  close(): void {
    this.#open.socket.destroy()
  }

  #failed(cause?: unknown): SshError {
    const errors = sshErrors(this.#address)
    if (!this.isUsable) return this.#failure ?? errors.lost(cause)
    // Opening a channel was refused (RFC 4254 section 5.1), or starting a program in it.
    if (cause instanceof Error && 'reason' in cause) return errors.unreachable(cause)
    return cause instanceof Error && refusals.has(cause.message)
      ? errors.unexpected('programs are not allowed')
      : errors.lost(cause)
  }
}
