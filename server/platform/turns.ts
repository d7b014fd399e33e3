/** Runs work that has the same key one after the other. A failure is the caller's and holds up nobody. */
export type InTurn = <T>(key: string, work: () => Promise<T>) => Promise<T>

/** Turns of their own: work with the same key elsewhere does not wait for these. */
export function createTurns(): InTurn {
  const turns = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const turn = (turns.get(key) ?? Promise.resolve()).then(work)
    const ended = turn.catch(() => undefined)
    turns.set(key, ended)
    try {
      return await turn
    } finally {
      if (turns.get(key) === ended) turns.delete(key)
    }
  }
}
