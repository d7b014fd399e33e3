/** Reads a stream in chunks of the requested sizes. */
export class ByteSource {
  readonly #iterator: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)
  constructor(stream: AsyncIterable<Buffer>) {
    this.#iterator = stream[Symbol.asyncIterator]()
  }

  /** Up to `limit` bytes, at least one; null at the end. */
  async readUpTo(limit: number): Promise<Buffer | null> {
    while (this.#rest.length === 0) {
      const next = await this.#iterator.next()
      if (next.done === true) return null
      this.#rest = next.value
    }
    const chunk = this.#rest.subarray(0, limit)
    this.#rest = this.#rest.subarray(chunk.length)
    return chunk
  }

  /** Exactly `size` bytes; null if the stream ends before. */
  async take(size: number): Promise<Buffer | null> {
    const chunks: Buffer[] = []
    let left = size
    while (left > 0) {
      const chunk = await this.readUpTo(left)
      if (chunk === null) return null
      left -= chunk.length
      chunks.push(chunk)
    }
    return chunks.length === 1 ? (chunks[0] ?? null) : Buffer.concat(chunks)
  }
}
