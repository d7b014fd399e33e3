import type { IncomingMessage } from 'node:http'

/** How many small chunks a sender may use (`Transfer-Encoding: chunked`). */
export interface ChunkLimits {
  /** Chunks at once. */
  readonly burst: number
  /** Additional chunks per second. */
  readonly perSecond: number
  /** A chunk of this size is free; a smaller one costs the fraction by which it falls short. */
  readonly bytes: number
}

/** Counts the chunks of one sender. */
export interface ChunkBudget {
  /** Counts a chunk; false if it exceeds the budget. */
  spend(bytes: number): boolean
}

/** Creates a full budget. */
export function createChunkBudget(
  { burst, perSecond, bytes: whole }: ChunkLimits,
  now: () => number = () => performance.now(),
): ChunkBudget {
  let left = burst
  let since = now()
  return {
    spend(bytes) {
      if (bytes >= whole) return true
      const time = now()
      left = Math.min(burst, left + ((time - since) / 1000) * perSecond) - (1 - bytes / whole)
      since = time
      return left >= 0
    },
  }
}

/**
 * Aborts a body that arrives in too many tiny chunks. Node processes each one separately, and a single system read can
 * contain ten thousand: a few connections that send them as fast as possible would block the event loop for everyone else.
 * They are counted before they are buffered, even if the body is never read.
 * @param exceeded closes the connection; called once
 */
export function limitChunks(message: IncomingMessage, budget: ChunkBudget, exceeded: () => void): void {
  if (message.headers['transfer-encoding'] === undefined) return
  const push = message.push.bind(message)
  let isOver = false
  message.push = (chunk: Buffer | null) => {
    if (chunk === null) return push(null)
    if (!isOver && budget.spend(chunk.length)) return push(chunk)
    if (!isOver) exceeded()
    isOver = true
    return false
  }
  // Once a request is answered, Node discards the rest of its body chunk by chunk without emitting events.
  Object.defineProperty(message, '_dump', {
    value: () => {
      message.removeAllListeners('data')
      message.resume()
    },
  })
}
