/**
 * A loader whose code is asked for once: what is here already is given at once, where a second `import()` would take a turn of the
 * event loop, in which React gives up waiting and shows a placeholder. Browsers do not repeat a failed import either.
 */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined
  return () => (loading ??= load())
}
