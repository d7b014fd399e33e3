import type { ShareBits } from '#shared/responses/sharing.ts'

/** One of the bits of a share. */
export type Bit = keyof ShareBits

/** All of them, each resting on those before it. */
export const bits: readonly Bit[] = ['read', 'write', 'share']

/**
 * Bits after one was given or taken: whoever may share may write, and whoever may write sees it, so the server adds the
 * lower ones; taking one takes what rests on it.
 */
export function withBit(before: ShareBits, bit: Bit, on: boolean): ShareBits {
  const at = bits.indexOf(bit)
  const next = (index: number, one: Bit): 0 | 1 =>
    on ? (index <= at ? 1 : before[one]) : index >= at ? 0 : before[one]
  return { read: next(0, 'read'), write: next(1, 'write'), share: next(2, 'share') }
}
