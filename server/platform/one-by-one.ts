/** Runs a task after the earlier ones with the same key, whether those succeeded or not. */
export type OneByOne = <T>(key: string, task: () => Promise<T>) => Promise<T>

/** Runs tasks with the same key one after the other, in the order of the calls; those of different keys at the same time. */
export function createOneByOne(): OneByOne {
  /** The last task of each key; it never rejects. */
  const last = new Map<string, Promise<void>>()
  return (key, task) => {
    const done = (last.get(key) ?? Promise.resolve()).then(task)
    const settled = done.then(
      () => undefined,
      () => undefined,
    )
    last.set(key, settled)
    void settled.then(() => {
      if (last.get(key) === settled) last.delete(key)
    })
    return done
  }
}
