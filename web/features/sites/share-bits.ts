import type { ShareBits } from '#shared/responses/sharing.ts'

/** A permission bit of a share. */
export type Bit = keyof ShareBits

/** All bits; each requires the previous ones. */
export const bits: readonly Bit[] = ['read', 'write', 'share']

/**
 * Bits after one was granted or revoked. Share implies write and write implies read, so granting a bit adds the lower ones
 * (as the server does) and revoking one removes the higher ones.
 */
export function withBit(before: ShareBits, bit: Bit, on: boolean): ShareBits {
  const at = bits.indexOf(bit)
  const next = (index: number, one: Bit): 0 | 1 =>
    on ? (index <= at ? 1 : before[one]) : index >= at ? 0 : before[one]
  return { read: next(0, 'read'), write: next(1, 'write'), share: next(2, 'share') }
}
