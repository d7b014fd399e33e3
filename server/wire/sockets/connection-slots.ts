/** Most connections of all strangers together, and of one person before it is looked at what he connects to. */
const most = 200

/** How many connections there are, by whose they are. Null is a stranger. */
export interface Places {
  isFull(user: string | null): boolean
  /** Takes one of the places until the returned function is called; null when all are taken. */
  take(user: string | null): (() => void) | null
}

/** Counts the connections of this process. */
export function createPlaces(): Places {
  const taken = new Map<string | null, number>()
  const isFull = (user: string | null) => (taken.get(user) ?? 0) >= most
  return {
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
