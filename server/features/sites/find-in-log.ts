import type { LogChunk, LogRange } from '#server/engines/site-logs.ts'

/** Chunks that one search reads: each has at most 256 KiB, so about 8 MB. */
const maxChunks = 32

/**
 * Reads back from a position until a line contains the text, in any case. Returns the lines that were read with it; or none,
 * with the position to go on at (null: that was all of the log).
 */
export async function findInLog(
  read: (range: LogRange) => Promise<LogChunk>,
  range: LogRange,
  text: string,
): Promise<LogChunk> {
  const wanted = text.toLowerCase()
  let chunk = await read(range)
  for (let count = 1; !chunk.lines.some((line) => line.toLowerCase().includes(wanted)); count += 1) {
    if (chunk.start === null || count === maxChunks) return { ...chunk, lines: [] }
    chunk = await read({ before: chunk.start })
  }
  return chunk
}
