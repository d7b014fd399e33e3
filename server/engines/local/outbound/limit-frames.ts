import { Duplex } from 'node:stream'
import { createPieceBudget } from '#server/platform/files/pieces.ts'

/**
 * Frames a site may send at once, and how many may follow each second; one that carries a kilobyte costs nothing. At 100 MB
 * a second an honest download is acknowledged in about 6,000 of them.
 */
const frames = { burst: 40_000, perSecond: 20_000, bytes: 1_024 }

/** What a client says before its first frame (RFC 9113, 3.4). */
const prefaceBytes = 24
/** A frame begins with the length of what follows its head in three bytes (RFC 9113, 4.1). */
const headBytes = 9

/** Reads the length of each frame in bytes that come in any pieces, and tells each one. */
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
 * The same stream, but it ends when too many small frames come through it. Node's HTTP/2 bounds those that open, reset and
 * ask; the others (`WINDOW_UPDATE`, `PRIORITY`, empty `DATA`) would keep a processor busy for as long as somebody likes.
 */
export function limitFrames(stream: Duplex, now?: () => number): Duplex {
  const budget = createPieceBudget(frames, now)
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
