import { phpNode, phpUniversal, type FileLockRequest, type UserSpace, type UserSpaceContext } from './php-wasm.ts'

/** Those who wait for a file, in the order in which they came. */
const waiting: Array<() => void> = []

function wake(): void {
  for (const tryAgain of waiting.splice(0)) tryAgain()
}

/**
 * File locks between the instances of this process, which SQLite and sessions need. Other processes are not covered: native locks
 * would need an addon, and a process that may load one addon may load any. Nothing else may open a running site's database.
 */
class FileLocks extends phpUniversal.FileLockManagerInMemory {
  override lockWholeFile(path: string, request: FileLockRequest): boolean {
    const isDone = super.lockWholeFile(path, request)
    // An exclusive lock lets nobody in who waits, and trying to get one must not wake the one who tries.
    if (isDone && request.type !== 'exclusive') wake()
    return isDone
  }

  override releaseLocksOnFdClose(pid: number, descriptor: number, path: string): void {
    super.releaseLocksOnFdClose(pid, descriptor, path)
    wake()
  }

  override releaseLocksForProcess(pid: number): void {
    super.releaseLocksForProcess(pid)
    wake()
  }
}

const sharedLocks = new FileLocks()

/**
 * What a PHP asks of its process. A flock() waits for who has the lock, as the handler of sessions expects, which does not look at
 * what flock() says: otherwise two requests of a session would lose each other's changes. The locks end with a request, and with the
 * process; a request that waits for itself ends like any other that takes too long.
 */
export function bindFileLocks(context: UserSpaceContext): UserSpace {
  const space = phpNode.bindUserSpace({ fileLockManager: sharedLocks }, context)
  const lock = space.flock
  const isBlocked = (result: number, operation: number): boolean =>
    result === -context.errnoCodes.EWOULDBLOCK && (operation & context.constants.LOCK_NB) === 0
  const waitForLock = async (descriptor: number, operation: number): Promise<number> => {
    for (;;) {
      await new Promise<void>((resolve) => {
        waiting.push(resolve)
      })
      const result = lock(descriptor, operation)
      if (!isBlocked(result, operation)) return result
    }
  }
  return {
    ...space,
    flock: (descriptor, operation) => {
      const result = lock(descriptor, operation)
      return isBlocked(result, operation) ? waitForLock(descriptor, operation) : result
    },
  }
}
