import { call } from './api.ts'

/**
 * Reads of the first screen that begin while its code is still loaded: on slow networks, its rows would take one more round
 * trip after it. The hooks of frappe.tsx take the results; what failed they read themselves. What changes meanwhile is caught
 * up like any change since the page was generated (use-events.ts). Separate from the data client, which public pages don't load.
 */

/** A key of the data client. */
type Key = readonly unknown[]

interface EarlyRead {
  /** Undefined once it has failed, and for a denied query of a batch. */
  readonly answer: Promise<unknown>
  data?: unknown
}

/** How long after its start a read is taken (ms): whoever comes back to the list later gets what is true then. */
const maxAgeMs = 15_000

const reads = new Map<string, EarlyRead>()

/** Keeps a read for its first reader. */
export function keepEarlyRead(key: Key, reading: Promise<unknown>): void {
  const text = JSON.stringify(key)
  const read: EarlyRead = { answer: reading.then((data) => data ?? undefined).catch(() => undefined) }
  reads.set(text, read)
  void read.answer.then((data) => (read.data = data))
  setTimeout(() => reads.delete(text), maxAgeMs)
}

/** Resolves once all of them have an answer, or have failed. */
export async function earlyAnswers(): Promise<void> {
  await Promise.all([...reads.values()].map(({ answer }) => answer))
}

/** Runs several queries in one call of a method that answers in their order. */
export function readEarlyBatch(method: string, entries: readonly (readonly [key: Key, query: object])[]): void {
  const answers = call<readonly unknown[]>(method, { queries: entries.map(([, query]) => query) }, { verb: 'GET' })
  for (const [at, [key]] of entries.entries())
    keepEarlyRead(
      key,
      answers.then((all) => all[at]),
    )
}

/** What was read, once, to its first reader; undefined if there is nothing, or no answer yet. */
export function takeEarlyRead(key: Key): unknown {
  if (reads.size === 0) return undefined
  const text = JSON.stringify(key)
  const data = reads.get(text)?.data
  if (data !== undefined) reads.delete(text)
  return data
}

/** The same, once there is an answer. */
export async function joinEarlyRead(key: Key): Promise<unknown> {
  if (reads.size === 0) return undefined
  const text = JSON.stringify(key)
  const read = reads.get(text)
  reads.delete(text)
  return await read?.answer
}
