import { isExternalCaller, type Session } from '#server/contracts/session.ts'

/**
 * Counts bytes toward the hourly write limit of an organization, or of a user without one. Throws `rate_limited` if it is
 * exceeded. The returned function refunds the bytes.
 */
export type SpendBytes = (key: string, bytes: number) => () => void

/** Overhead of a row in bytes. */
const rowBytes = 200

/** Approximate size of a row with these values, in bytes. */
export function bytesOfRow(values: Record<string, unknown>): number {
  return Object.values(values).reduce<number>((sum, value) => sum + bytesOf(value), rowBytes)
}

function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  return typeof value === 'object' && value !== null ? Buffer.byteLength(JSON.stringify(value)) : 8
}

/** Bytes written by one attempt of a transaction, per organization or user. */
export interface WrittenBytes {
  /**
   * Counts bytes about to be written; throws if the limit is exceeded. They stay counted if the attempt fails: a rolled-back
   * write still costs the database work, and failing attempts must not be cheaper than others.
   */
  add(organization: string | null, bytes: number): void
  /** Refunds all bytes, for failures that weren't the user's fault. */
  refundAll(): void
}

/**
 * Counts what users write. Jobs, schedules and internal work aren't counted: they have limits of their own and must not stop
 * halfway.
 */
export function createWriteCounter(session: Session, spend: SpendBytes | undefined): WrittenBytes {
  const isCounted = isExternalCaller(session)
  const spent: (() => void)[] = []
  return {
    add(organization, bytes) {
      const key = organization === null ? `user ${session.user}` : `organization ${organization}`
      if (isCounted && spend) spent.push(spend(key, bytes))
    },
    refundAll() {
      for (const refund of spent.splice(0)) refund()
    },
  }
}
