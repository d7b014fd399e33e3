/**
 * What is made when it is first asked for: the browser's formats of times and lists cost some ten milliseconds on a phone,
 * most screens stand before they need one.
 */
export function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
