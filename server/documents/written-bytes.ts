import type { Session } from './types.ts'

/**
 * Counts bytes against what an organization, or a person without one, may write in an hour. Throws `rate_limited` when it
 * is too much.
 */
export type SpendBytes = (key: string, bytes: number) => void

/** What a row costs beside its values. */
const rowBytes = 200

/** About how many bytes a row with these values takes. */
export function bytesOfRow(values: Record<string, unknown>): number {
  return Object.values(values).reduce<number>((sum, value) => sum + bytesOf(value), rowBytes)
}

function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  return typeof value === 'object' && value !== null ? Buffer.byteLength(JSON.stringify(value)) : 8
}

/** What a transaction wrote, by whom it counts for. */
export interface WrittenBytes {
  add(organization: string | null, bytes: number): void
  /** Counts all of it. Throws when it is too much. */
  spend(spend: SpendBytes): void
}

/**
 * Adds up what people write. Jobs, the schedule and our own work have bounds of their own and must not stop half-way, so
 * nothing is counted for them.
 */
export function countWritten(session: Session): WrittenBytes {
  const counted = session.kind !== 'system' && (session.via === 'web' || session.via === 'api')
  const sums = new Map<string, number>()
  return {
    add(organization, bytes) {
      const key = organization === null ? `user ${session.user}` : `organization ${organization}`
      sums.set(key, (sums.get(key) ?? 0) + bytes)
    },
    spend(spend) {
      if (counted) for (const [key, bytes] of sums) spend(key, bytes)
    },
  }
}
