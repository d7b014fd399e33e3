/** Callers of one group share the group's limits. */
export interface QueueGroup {
  readonly key: string
  /** Known callers have a reserved part of the queue and every other turn. */
  readonly known: boolean
}

/** Limits of a queue. */
export interface FairQueueOptions {
  /** Maximum concurrency. */
  readonly atOnce: number
  /** Maximum queue length, in total and per kind (known callers, others): neither kind can fill the queue. */
  readonly waiting: { readonly all: number; readonly ofKind: number }
  /** Maximum number of waiting callers per group of known callers, and per group of others. */
  readonly share: { readonly known: number; readonly unknown: number }
  /** Creates the error for a rejected caller. */
  readonly full: () => Error
}

/** Runs work in order with limited concurrency. */
export interface FairQueue {
  /** Runs the work when it is the group's turn. Rejects with `full` if the queue has no capacity left. */
  run<T>(group: QueueGroup, work: () => Promise<T>): Promise<T>
}

interface Waiter {
  start(): void
  reject(error: Error): void
}

/** The waiting groups of one kind, in order of their turns. */
class GroupQueue {
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

  /** The oldest waiter of the group whose turn it is; the group then moves to the end. */
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

  /** Number of waiters of the largest group. */
  get largest(): number {
    return Math.max(0, ...[...this.#groups.values()].map((waiting) => waiting.length))
  }

  /** Removes the newest waiter of the largest group. */
  dropFromLargest(): Waiter | null {
    const { largest } = this
    const waiting = [...this.#groups.values()].find(({ length }) => length === largest)
    if (!waiting) return null
    this.size -= 1
    return waiting.pop() ?? null
  }
}

/**
 * A bounded queue in which no group can starve others: groups take turns, each has a maximum share, and when the queue is
 * full the newest waiter of the largest group is dropped in favor of a smaller group.
 */
export function createFairQueue(options: FairQueueOptions): FairQueue {
  const { atOnce, share, full } = options
  const queues = { known: new GroupQueue(), unknown: new GroupQueue() }
  let running = 0
  let lastWasKnown = false

  /** Whether there is capacity for one more waiter of the group, if necessary by dropping one of a larger group. */
  function hasCapacity(group: QueueGroup): boolean {
    const kind = group.known ? 'known' : 'unknown'
    const queue = queues[kind]
    const own = queue.countOf(group.key)
    if (own >= share[kind]) return false
    const { all, ofKind } = options.waiting
    if (queues.known.size + queues.unknown.size < all && queue.size < ofKind) return true
    const other = queues[group.known ? 'unknown' : 'known']
    // A kind with all of its places makes room itself.
    const from = queue.size < ofKind && other.largest > queue.largest ? other : queue
    // With one more of ours the other group still has at least as many.
    if (from.largest <= own + 1) return false
    from.dropFromLargest()?.reject(full())
    return true
  }

  function startNext(): void {
    const first = lastWasKnown ? queues.unknown : queues.known
    const second = lastWasKnown ? queues.known : queues.unknown
    const fromFirst = first.next()
    const waiter = fromFirst ?? second.next()
    lastWasKnown = (fromFirst === null ? second : first) === queues.known
    if (waiter) waiter.start()
    else running -= 1
  }

  return {
    async run(group, work) {
      if (running >= atOnce) {
        if (!hasCapacity(group)) throw full()
        await new Promise<void>((resolve, reject) =>
          queues[group.known ? 'known' : 'unknown'].add(group.key, { start: resolve, reject }),
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
