/** Permission bits of a share that people see (specification section 6); `submit` is never shown. */
export const bits = ['read', 'write', 'share'] as const

/** One of them. */
export type Bit = (typeof bits)[number]

/** A share's bits as the wire has them. */
export type Bits = Readonly<Record<Bit, 0 | 1>>

/**
 * Bits after one was given or taken: whoever may share may write, and whoever may write sees it, so the server adds the
 * lower ones; taking one takes what rests on it.
 */
export function withBit(before: Bits, bit: Bit, on: boolean): Bits {
  const at = bits.indexOf(bit)
  const next = (index: number, one: Bit): 0 | 1 =>
    on ? (index <= at ? 1 : before[one]) : index >= at ? 0 : before[one]
  return { read: next(0, 'read'), write: next(1, 'write'), share: next(2, 'share') }
}
