import { Duplex } from 'node:stream'
import { createChunkBudget } from '#server/platform/files/chunk-limit.ts'

/**
 * Frames a site may send at once, and additional ones per second; a frame with a kilobyte is free. At 100 MB per second a
 * normal download acknowledges with about 6,000 of them.
 */
const frames = { burst: 40_000, perSecond: 20_000, bytes: 1_024 }

/** Length of the client's connection preface (RFC 9113, 3.4). */
const prefaceBytes = 24
/** The first three bytes of a frame's header are the length of its payload (RFC 9113, 4.1). */
const headBytes = 9

/** Parses the length of each frame from chunks of any size and calls `onFrame` for each. */
export function frameReader(onFrame: (bytes: number) => void): (chunk: Buffer) => void {
  let skip = prefaceBytes
  let headRead = 0
  let length = 0
  return (chunk) => {
    for (let at = 0; at < chunk.length;) {
      if (skip > 0) {
        const step = Math.min(skip, chunk.length - at)
        skip -= step
        at += step
        continue
      }
      if (headRead < 3) length = length * 256 + (chunk[at] ?? 0)
      headRead += 1
      at += 1
      if (headRead < headBytes) continue
      onFrame(length)
      skip = length
      headRead = 0
      length = 0
    }
  }
}

/**
 * Wraps the stream and ends it if too many small frames pass through. Node's HTTP/2 limits frames that open and reset
 * streams or require a response; the others (`WINDOW_UPDATE`, `PRIORITY`, empty `DATA`) could keep a processor busy
 * indefinitely.
 */
export function limitFrames(stream: Duplex, now?: () => number): Duplex {
  const budget = createChunkBudget(frames, now)
  let isOver = false
  const read = frameReader((bytes) => {
    if (!budget.spend(bytes)) isOver = true
  })
  const limited = new Duplex({
    read: () => void stream.resume(),
    write: (chunk: Buffer, _encoding, done) => void stream.write(chunk, done),
    final: (done) => void stream.end(done),
    destroy: (error, done) => {
      stream.destroy()
      done(error)
    },
  })
  stream.on('data', (chunk: Buffer) => {
    read(chunk)
    if (isOver) limited.destroy()
    else if (!limited.push(chunk)) stream.pause()
  })
  stream.once('end', () => limited.push(null))
  stream.on('error', () => limited.destroy())
  stream.once('close', () => limited.destroy())
  return limited
}
