/**
 * Documents that came with the page. Whoever reads one of them first has it at once and without a request; afterwards it
 * may be old and is read as ever. Apart from the data client, which public pages do not load.
 */
const docs = new Map<string, unknown>()

const keyOf = (doctype: string, name: string): string => JSON.stringify([doctype, name])

/** Keeps a document for its first reader. */
export function putFirstDoc(doctype: string, name: string, doc: unknown): void {
  docs.set(keyOf(doctype, name), doc)
}

/** The document, for the first who asks. */
export function takeFirstDoc<T>(doctype: string, name: string): T | undefined {
  const key = keyOf(doctype, name)
  const doc = docs.get(key) as T | undefined
  docs.delete(key)
  return doc
}
