/** Who waits: callers of one group share what a group may have. */
export interface QueueGroup {
  readonly key: string
  /** Known callers have room that others cannot take, and every other turn. */
  readonly known: boolean
}

/** How much a queue lets in. */
export interface FairQueueOptions {
  /** Work at the same moment. */
  readonly atOnce: number
  /** Most that wait, in all and of known callers or others alone: neither kind takes all of the room. */
  readonly waiting: { readonly all: number; readonly ofKind: number }
  /** Most that wait of one group of known callers, and of one of others. */
  readonly share: { readonly known: number; readonly unknown: number }
  /** What a caller is told for whom there is no room. */
  readonly full: () => Error
}

/** Work one after the other, a few at once. */
export interface FairQueue {
  /** Runs the work when it is the group's turn. Rejects with `full` when there is no room to wait in. */
  run<T>(group: QueueGroup, work: () => Promise<T>): Promise<T>
}

interface Waiter {
  start(): void
  reject(error: Error): void
}

/** The waiting groups of one kind, in the order of their turns. */
class Lane {
  readonly #groups = new Map<string, Waiter[]>()
  size = 0

  countOf(key: string): number {
    return this.#groups.get(key)?.length ?? 0
  }

  add(key: string, waiter: Waiter): void {
    const waiting = this.#groups.get(key)
    if (waiting) waiting.push(waiter)
    else this.#groups.set(key, [waiter])
    this.size += 1
  }

  /** The oldest waiter of the group whose turn it is; the group goes behind the others. */
  next(): Waiter | null {
    const [turn] = this.#groups
    if (!turn) return null
    const [key, waiting] = turn
    const waiter = waiting.shift() as Waiter
    this.#groups.delete(key)
    if (waiting.length > 0) this.#groups.set(key, waiting)
    this.size -= 1
    return waiter
  }

  /** The newest waiter of the largest group, when that has more than `count`; null else. */
  dropFromLargest(count: number): Waiter | null {
    const [largest] = [...this.#groups].toSorted(([, a], [, b]) => b.length - a.length)
    if (!largest || largest[1].length <= count) return null
    this.size -= 1
    return largest[1].pop() ?? null
  }
}

/**
 * A bounded queue in which no group can take the room of others: groups take turns, a group waits with a share at most,
 * and when the queue is full the newest of the group that has most makes room for one that has less.
 */
export function createFairQueue(options: FairQueueOptions): FairQueue {
  const { atOnce, share, full } = options
  const lanes = { known: new Lane(), unknown: new Lane() }
  let running = 0
  let lastWasKnown = false

  /** Whether a waiter of the group has room, made by taking that of a larger group if need be. */
  function hasRoom(group: QueueGroup): boolean {
    const kind = group.known ? 'known' : 'unknown'
    const lane = lanes[kind]
    const own = lane.countOf(group.key)
    if (own >= share[kind]) return false
    const { all, ofKind } = options.waiting
    if (lanes.known.size + lanes.unknown.size < all && lane.size < ofKind) return true
    // With one more of ours the other group still has as many.
    const dropped = lane.dropFromLargest(own + 1)
    dropped?.reject(full())
    return dropped !== null
  }

  function startNext(): void {
    const first = lastWasKnown ? lanes.unknown : lanes.known
    const second = lastWasKnown ? lanes.known : lanes.unknown
    const fromFirst = first.next()
    const waiter = fromFirst ?? second.next()
    lastWasKnown = (fromFirst === null ? second : first) === lanes.known
    if (waiter) waiter.start()
    else running -= 1
  }

  return {
    async run(group, work) {
      if (running >= atOnce) {
        if (!hasRoom(group)) throw full()
        await new Promise<void>((resolve, reject) =>
          lanes[group.known ? 'known' : 'unknown'].add(group.key, { start: resolve, reject }),
        )
      } else {
        running += 1
      }
      try {
        return await work()
      } finally {
        startNext()
      }
    },
  }
}
