import { createOneByOne } from '#server/platform/one-by-one.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'

/** Archives that are read or wait for it at the same time. */
export const maxTaken = 8

/** Longest time for reading one, in milliseconds: others wait for it. */
const takeMs = 15 * 60_000

/**
 * Reads uploaded archives one after the other: each may unpack gigabytes on its way. Throws EngineError `unavailable` if many wait,
 * or if one takes too long.
 */
export function createTakeQueue(deadlineMs = takeMs): <T>(read: (signal: AbortSignal) => Promise<T>) => Promise<T> {
  const turns = createOneByOne()
  let taken = 0
  return async (read) => {
    if (taken >= maxTaken)
      throw new EngineError('unavailable', msg`Too many imports are being read now.`, {
        nextAction: msg`Try again in some minutes. The upload is kept.`,
      })
    taken += 1
    try {
      return await turns('all', () => inTime(read, deadlineMs))
    } finally {
      taken -= 1
    }
  }
}

async function inTime<T>(read: (signal: AbortSignal) => Promise<T>, deadlineMs: number): Promise<T> {
  const deadline = AbortSignal.timeout(deadlineMs)
  try {
    return await read(deadline)
  } catch (error) {
    if (!deadline.aborted) throw error
    throw new EngineError('unavailable', msg`Reading the archive took too long and was stopped.`, {
      nextAction: msg`Try again when less is going on here, or import a smaller archive. The upload is kept.`,
      cause: error,
    })
  }
}
