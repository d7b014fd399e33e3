/**
 * What is made once, when it is asked for: formats, of which each takes milliseconds to make, and code. For code, what is here already is given at
 * once, where a second `import()` would take a turn of the event loop, in which React gives up waiting and shows a placeholder. Browsers do not repeat a failed import either.
 */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
