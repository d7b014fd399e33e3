import type { IncomingMessage } from 'node:http'

/** How finely somebody may cut up what is sent in chunks (`Transfer-Encoding: chunked`). */
export interface PieceLimits {
  /** Pieces at once. */
  readonly burst: number
  /** Pieces that may follow each second. */
  readonly perSecond: number
  /** A piece of this many bytes costs nothing, a smaller one the part that it lacks. */
  readonly bytes: number
}

/** Counts pieces of one sender. */
export interface PieceBudget {
  /** Counts a piece; false when it is one too many. */
  spend(bytes: number): boolean
}

/** Opens a budget, full. */
export function createPieceBudget(
  { burst, perSecond, bytes: whole }: PieceLimits,
  now: () => number = () => performance.now(),
): PieceBudget {
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
 * Ends a body that comes in too many tiny pieces. Each takes a step of its own through Node, and one read of the system
 * holds ten thousand: a few connections that send them as fast as they can leave the event loop to nobody else. They are
 * counted before they are kept, also when nobody reads the body.
 * @param exceeded closes the connection; called once
 */
export function limitPieces(message: IncomingMessage, budget: PieceBudget, exceeded: () => void): void {
  if (message.headers['transfer-encoding'] === undefined) return
  const push = message.push.bind(message)
  let isOver = false
  message.push = (piece: Buffer | null) => {
    if (piece === null) return push(null)
    if (!isOver && budget.spend(piece.length)) return push(piece)
    if (!isOver) exceeded()
    isOver = true
    return false
  }
  // Once a request is answered Node drops the rest of its body piece by piece, without telling anybody.
  Object.defineProperty(message, '_dump', {
    value: () => {
      message.removeAllListeners('data')
      message.resume()
    },
  })
}
