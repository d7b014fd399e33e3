import type { ShareBits } from '#shared/responses/sharing.ts'

/** What a share allows, by its highest bit: each level includes the previous ones. */
export const shareLevels = ['read', 'write', 'share'] as const

/** One of the levels. */
export type ShareLevel = (typeof shareLevels)[number]

/** The level of a share; null if it allows nothing. */
export function levelOf(bits: ShareBits): ShareLevel | null {
  return shareLevels.findLast((level) => bits[level] === 1) ?? null
}

/** The bits of a level, the lower ones included, as the server sets them. */
export function bitsOf(level: ShareLevel | null): ShareBits {
  const highest = level === null ? -1 : shareLevels.indexOf(level)
  const bit = (at: number): 0 | 1 => (at <= highest ? 1 : 0)
  return { read: bit(0), write: bit(1), share: bit(2) }
}

/** Whether somebody may do less than before. */
export const isLowered = (before: ShareBits, after: ShareBits): boolean =>
  shareLevels.some((level) => after[level] < before[level])
