import { setFlagsFromString } from 'node:v8'

/** Growth of the heap of long-lived objects until it is collected again, in percent of what was in use. */
const growthPercent = 30

/**
 * Bounds the garbage among long-lived objects. By default V8 lets their heap grow to a multiple of what is in use (measured
 * under load: 207 MB for 40 MB), for fewer collections than a process needs that mostly waits for its database. The young
 * generation is bounded by an option of the command line (`start` in package.json), which Node.js can't set later, and what V8
 * keeps of it for reuse by `releasePooledPages`.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`)
}
