import { readSync } from 'node:fs'

const pieceBytes = 1024 * 1024

/** Exactly `size` bytes of an open file, in chunks. Throws if the file became shorter. */
export function* readExactly(fd: number, size: number): Generator<Buffer, void, undefined> {
  for (let at = 0; at < size;) {
    const piece = Buffer.allocUnsafe(Math.min(pieceBytes, size - at))
    const read = readSync(fd, piece, 0, piece.length, at)
    if (read === 0) throw new Error('A file of the site changed while it was read.')
    at += read
    yield piece.subarray(0, read)
  }
}
