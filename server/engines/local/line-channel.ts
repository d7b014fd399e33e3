import type { Duplex } from 'node:stream'

/** Messages between the engine and a site's process: one JSON value a line, in both directions. */
export interface LineChannel<Out> {
  /** Sends a message; dropped when the channel is closed. */
  send(message: Out): void
}

/** How a channel treats what arrives. */
export interface LineChannelOptions<In> {
  /** Longest line in bytes: what comes from the other side is counted before it is parsed. */
  maxLineBytes: number
  /** Most messages per second; the other side may not keep this process busy with parsing. */
  maxPerSecond: number
  /** Checks the shape of a parsed line; null for one that is no message. */
  parse(value: unknown): In | null
  onMessage(message: In): void
  /** The other side broke a bound or sent something that is no message. Nothing is read after this. */
  onViolation(reason: string): void
  /** The other side closed the channel. */
  onEnd(): void
}

/** Opens a channel over a stream. The stream is read until its end or the first violation. */
export function openLineChannel<In, Out>(stream: Duplex, options: LineChannelOptions<In>): LineChannel<Out> {
  let parts: Buffer[] = []
  let length = 0
  let windowStart = performance.now()
  let inWindow = 0
  let closed = false

  const violation = (reason: string): void => {
    closed = true
    parts = []
    stream.destroy()
    options.onViolation(reason)
  }

  const take = (line: Buffer): void => {
    const now = performance.now()
    if (now - windowStart > 1_000) {
      windowStart = now
      inWindow = 0
    }
    inWindow += 1
    if (inWindow > options.maxPerSecond) {
      violation(`more than ${options.maxPerSecond} messages a second`)
      return
    }
    const message = parseLine(line, options.parse)
    if (message === null) violation('a message of unknown form')
    else options.onMessage(message)
  }

  stream.on('data', (chunk: Buffer) => {
    for (let from = 0; !closed;) {
      const end = chunk.indexOf(0x0a, from)
      const piece = chunk.subarray(from, end < 0 ? undefined : end)
      length += piece.length
      if (length > options.maxLineBytes) {
        violation(`a message of more than ${options.maxLineBytes} bytes`)
        return
      }
      parts.push(piece)
      if (end < 0) return
      const line = parts.length === 1 ? piece : Buffer.concat(parts, length)
      parts = []
      length = 0
      from = end + 1
      take(line)
    }
  })
  const ended = (): void => {
    if (closed) return
    closed = true
    options.onEnd()
  }
  stream.once('end', ended)
  stream.once('close', ended)
  // The other process is gone; `close` follows.
  stream.on('error', () => undefined)

  return {
    send: (message) => {
      if (!closed && stream.writable) stream.write(`${JSON.stringify(message)}\n`)
    },
  }
}

function parseLine<In>(line: Buffer, parse: (value: unknown) => In | null): In | null {
  try {
    return parse(JSON.parse(line.toString('utf8')))
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
