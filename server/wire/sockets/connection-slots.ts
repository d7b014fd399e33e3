/** Maximum connections of all guests together, and of one user before the namespace is checked, in all web processes together. */
const mostInAll = 200
/** Maximum connections (tabs, devices) of one user that are admitted, in all web processes together. */
const mostAdmitted = 100

/** Connection slots per user. Null stands for guests. */
export interface ConnectionSlots {
  /** Connections of one user that this process admits. */
  readonly mostAdmitted: number
  isFull(user: string | null): boolean
  /** Takes a slot until the returned function is called; null if none is free. */
  take(user: string | null): (() => void) | null
}

/** Counts the connections of this process. Web processes that share a port take connections in turn, so each has its share of the slots. */
export function createConnectionSlots(processes = 1): ConnectionSlots {
  const most = Math.floor(mostInAll / processes)
  const taken = new Map<string | null, number>()
  const isFull = (user: string | null) => (taken.get(user) ?? 0) >= most
  return {
    mostAdmitted: Math.floor(mostAdmitted / processes),
    isFull,
    take(user) {
      if (isFull(user)) return null
      taken.set(user, (taken.get(user) ?? 0) + 1)
      return () => {
        const left = (taken.get(user) ?? 1) - 1
        if (left === 0) taken.delete(user)
        else taken.set(user, left)
      }
    },
  }
}
