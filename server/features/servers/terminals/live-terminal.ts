import { maxStreamChunk, type Stream, type StreamPeer } from '#server/contracts/socket-stream.ts'
import { repeat, type Clock, type RepeatingTask } from '#server/jobs/clock.ts'
import type { RemoteShell, TerminalSize } from '#server/platform/ssh/shell.ts'
import { isObject } from '#shared/parse-json.ts'
import { terminalLimits, type TerminalEnd } from '#shared/rules/terminal.ts'
import { Recorder } from './recorder.ts'

/** How often the rights of its person are checked and its recording is stored. */
const beatMs = 4000
/** Characters of a recording that are stored at the latest. */
const partSize = 32 * 1024

/** What a terminal needs. */
export interface LiveTerminalDeps {
  readonly clock: Clock
  readonly shell: RemoteShell
  readonly peer: StreamPeer
  /** Stores what was recorded. */
  record(text: string): Promise<void>
  /** Says that it still runs. False if its person or its server may not have it any more. */
  mayContinue(): Promise<boolean>
  /** Records its end. */
  ended(end: TerminalEnd): Promise<void>
  failed(error: unknown): void
}

/** A size as a page asks for it, within limits. */
export function terminalSize(wanted: unknown): TerminalSize {
  const { columns, rows } = isObject(wanted) ? wanted : {}
  const within = (value: unknown, least: number, most: number, otherwise: number) =>
    typeof value === 'number' && Number.isFinite(value) ? Math.round(Math.min(most, Math.max(least, value))) : otherwise
  return {
    columns: within(columns, 2, terminalLimits.columns, 80),
    rows: within(rows, 1, terminalLimits.rows, 24),
  }
}

/**
 * A shell that a page shows, recorded. Output is read as fast as it is recorded and the page takes it, so the server waits for both.
 */
export class LiveTerminal implements Stream {
  readonly #deps: LiveTerminalDeps
  readonly #recorder = new Recorder()
  readonly #beat: RepeatingTask
  #inputAt: number
  #storing: Promise<void> = Promise.resolve()
  #ending: Promise<void> | null = null

  constructor(deps: LiveTerminalDeps) {
    this.#deps = deps
    this.#inputAt = deps.clock.now()
    this.#beat = repeat(deps.clock, beatMs, () => this.#check())
    void this.#pump()
  }

  async receive(text: string): Promise<void> {
    if (this.#ending) return
    this.#inputAt = this.#deps.clock.now()
    this.#recorder.noteInput()
    await this.#deps.shell.write(text)
  }

  control(message: unknown): void {
    if (!this.#ending) this.#deps.shell.resize(terminalSize(message))
  }

  close(): void {
    void this.end('left')
  }

  /** Ends it. Resolves when its recording is stored. */
  end(end: TerminalEnd): Promise<void> {
    this.#ending ??= this.#finish(end)
    return this.#ending
  }

  async #pump(): Promise<void> {
    const { shell, peer } = this.#deps
    try {
      for (;;) {
        const chunk = await shell.read(maxStreamChunk)
        if (chunk === null) return await this.end('exited')
        if (this.#ending) return undefined
        this.#recorder.add(chunk)
        if (this.#recorder.isFull) return await this.end('full')
        if (this.#recorder.waiting >= partSize && !(await this.#store())) return undefined
        await peer.send(chunk)
      }
    } catch (error) {
      if (!this.#ending) this.#deps.failed(error)
      return this.end('lost')
    }
  }

  async #check(): Promise<void> {
    const { clock, mayContinue, failed } = this.#deps
    if (clock.now() - this.#inputAt > terminalLimits.idleMinutes * 60_000) return void this.end('idle')
    if (!(await this.#store())) return undefined
    try {
      if (!(await mayContinue())) void this.end('denied')
    } catch (error) {
      // Rights that cannot be read are none.
      failed(error)
      void this.end('denied')
    }
    return undefined
  }

  /** Stores what was recorded so far. False if that failed, which ends it: nothing goes on unrecorded. */
  async #store(): Promise<boolean> {
    try {
      await this.#flush()
      return true
    } catch (error) {
      this.#deps.failed(error)
      void this.end('unrecorded')
      return false
    }
  }

  #flush(isLast = false): Promise<void> {
    const text = this.#recorder.take(isLast)
    if (text !== '') this.#storing = this.#storing.then(() => this.#deps.record(text))
    return this.#storing
  }

  async #finish(end: TerminalEnd): Promise<void> {
    const { shell, peer, ended, failed } = this.#deps
    void this.#beat.stop()
    shell.close()
    try {
      await this.#flush(true)
    } catch (error) {
      failed(error)
    }
    try {
      await ended(end)
    } catch (error) {
      failed(error)
    }
    peer.end({ end, code: shell.exitCode() })
  }
}
