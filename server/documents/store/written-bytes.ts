import type { Session } from '#server/contracts/session.ts'

/**
 * Counts bytes against what an organization, or a person without one, may write in an hour. Throws `rate_limited` when it
 * is too much. The returned function takes them back.
 */
export type SpendBytes = (key: string, bytes: number) => () => void

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

/** What one try of a transaction writes, by whom it counts for. */
export interface WrittenBytes {
  /**
   * Counts what is about to be written; throws when it is too much. What was counted stays so when the try fails: the
   * database writes what it takes back later, and tries that fail must not be cheaper than others.
   */
  add(organization: string | null, bytes: number): void
  /** Takes all of it back: it was no fault of the person that the try failed. */
  giveBack(): void
}

/**
 * Counts what people write. Jobs, the schedule and our own work have bounds of their own and must not stop half-way, so
 * nothing is counted for them.
 */
export function countWritten(session: Session, spend: SpendBytes | undefined): WrittenBytes {
  const isCounted = session.kind !== 'system' && (session.via === 'web' || session.via === 'api')
  const spent: (() => void)[] = []
  return {
    add(organization, bytes) {
      const key = organization === null ? `user ${session.user}` : `organization ${organization}`
      if (isCounted && spend) spent.push(spend(key, bytes))
    },
    giveBack() {
      for (const takeBack of spent.splice(0)) takeBack()
    },
  }
}
