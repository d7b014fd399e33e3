import type { Lock, Locker, RequestRelease } from '@tus/server'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'

/** Maximum time a request waits for those before it. */
const maxWaitMs = 30_000
/** Maximum requests that wait for one upload. A client has one, and another if the connection of the first hangs. */
const maxWaiting = 4

/** The request that has an upload, and those that wait for it. */
interface Holder {
  /** Asks the request to end. */
  readonly requestRelease: RequestRelease
  readonly waiting: Set<() => void>
}

/**
 * One request at a time per upload; a newer one asks the older, whose connection may hang, to end. The package's own locker
 * asks again in every turn of the event loop and keeps a promise of each, so that whoever holds an upload with a slow
 * request could keep the process busy and fill its memory.
 */
export function createUploadLocks(): Locker {
  const holders = new Map<string, Holder>()

  async function lock(id: string, signal: AbortSignal, requestRelease: RequestRelease): Promise<void> {
    const end = AbortSignal.any([signal, AbortSignal.timeout(maxWaitMs)])
    for (let holder = holders.get(id); holder !== undefined; holder = holders.get(id)) {
      if (end.aborted || holder.waiting.size >= maxWaiting) throw inUse()
      await released(holder, end)
    }
    holders.set(id, { requestRelease, waiting: new Set() })
  }

  async function unlock(id: string): Promise<void> {
    const holder = holders.get(id)
    holders.delete(id)
    for (const proceed of holder?.waiting ?? []) proceed()
  }

  return {
    newLock: (id): Lock => ({
      lock: (signal, requestRelease) => lock(id, signal, requestRelease),
      unlock: () => unlock(id),
    }),
  }
}

function inUse(): AppError {
  return new AppError('conflict', msg`Other requests are sending this upload.`, {
    retryAfterSeconds: 5,
    retryable: true,
  })
}

/** Asks the holder to end, and waits until it has or the time is over. */
async function released({ requestRelease, waiting }: Holder, end: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const proceed = () => resolve()
  waiting.add(proceed)
  end.addEventListener('abort', proceed, { once: true })
  try {
    await requestRelease()
    await promise
  } finally {
    waiting.delete(proceed)
    end.removeEventListener('abort', proceed)
  }
}
