/**
 * Documents preloaded with the page. The first reader gets one without a request; later reads fetch as usual, because the
 * preloaded copy may be stale. Separate from the data client, which public pages don't load.
 */
const docs = new Map<string, unknown>()

const keyOf = (doctype: string, name: string): string => JSON.stringify([doctype, name])

/** Stores a document for its first reader. */
export function putInitialDoc(doctype: string, name: string, doc: unknown): void {
  docs.set(keyOf(doctype, name), doc)
}

/** Returns the document once, to the first caller. */
export function takeInitialDoc<T>(doctype: string, name: string): T | undefined {
  const key = keyOf(doctype, name)
  const doc = docs.get(key) as T | undefined
  docs.delete(key)
  return doc
}
