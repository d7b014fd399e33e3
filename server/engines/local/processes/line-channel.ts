import type { Duplex } from 'node:stream'
import { createRateCounter } from '../proxy/per-second.ts'

/** Messages between the engine and a site's process: one JSON value per line, in both directions. */
export interface LineChannel<Out> {
  /** Sends a message; dropped if the channel is closed. */
  send(message: Out): void
}

/** Limits and callbacks of a channel. */
export interface LineChannelOptions<In> {
  /** Maximum length of a line in bytes, checked before parsing. */
  maxLineBytes: number
  /** Maximum messages per second, and maximum chunks; the other side must not keep this process busy. */
  maxPerSecond: number
  /** Maximum bytes per second: parsing JSON of many small values takes much longer than sending it. */
  maxBytesPerSecond: number
  /** Validates a parsed line; null if it is not a message. */
  parse(value: unknown): In | null
  onMessage(message: In): void
  /** The other side exceeded a limit or sent an invalid message. Nothing is read after this. */
  onViolation(reason: string): void
  /** The other side closed the channel. */
  onEnd(): void
}

/** Opens a channel over a stream. The stream is read until its end or the first violation. */
export function openLineChannel<In, Out>(stream: Duplex, options: LineChannelOptions<In>): LineChannel<Out> {
  /** The beginning of an incomplete line. */
  let begun: Buffer = Buffer.alloc(0)
  let length = 0
  let closed = false
  const withinRate = createRateCounter(options.maxPerSecond)
  const mayRead = createRateCounter(options.maxPerSecond)
  const mayReadBytes = createRateCounter(options.maxBytesPerSecond)

  const violation = (reason: string): void => {
    closed = true
    begun = Buffer.alloc(0)
    stream.destroy()
    options.onViolation(reason)
  }

  /** One growing buffer: storing single-byte chunks individually would take a hundred times the memory. */
  const keep = (piece: Buffer): void => {
    const needed = length + piece.length
    if (needed > begun.length) {
      const larger = Buffer.alloc(Math.max(needed, Math.min(2 * begun.length, options.maxLineBytes)))
      begun.copy(larger, 0, 0, length)
      begun = larger
    }
    piece.copy(begun, length)
    length = needed
  }

  const take = (line: Buffer): void => {
    if (!withinRate(1)) {
      violation(`more than ${options.maxPerSecond} messages a second`)
      return
    }
    const message = parseLine(line, options.parse)
    if (message === null) violation('a message of unknown form')
    else options.onMessage(message)
  }

  stream.on('data', (chunk: Buffer) => {
    if (closed) return
    if (!mayRead(1)) {
      violation(`messages in more than ${options.maxPerSecond} pieces a second`)
      return
    }
    if (!mayReadBytes(chunk.length)) {
      violation(`more than ${options.maxBytesPerSecond} bytes a second`)
      return
    }
    for (let from = 0; !closed;) {
      const end = chunk.indexOf(0x0a, from)
      const piece = chunk.subarray(from, end < 0 ? undefined : end)
      if (length + piece.length > options.maxLineBytes) {
        violation(`a message of more than ${options.maxLineBytes} bytes`)
        return
      }
      if (end < 0) {
        keep(piece)
        return
      }
      let line = piece
      if (length > 0) {
        keep(piece)
        line = begun.subarray(0, length)
        begun = Buffer.alloc(0)
        length = 0
      }
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
  } catch {
    // An error while parsing would crash the dashboard: nothing catches what a stream's handler throws.
    return null
  }
}
