/** Key of a document in the cache, for optimistic writes from elsewhere, too. */
export function docKey(doctype: string, name: string): string {
  return `doc ${doctype} ${name}`
}

/**
 * Documents that came with the page. Whoever reads one of them first has it at once and without a request; afterwards it
 * may be old and is read as ever.
 */
const docs = new Map<string, unknown>()

/** Keeps a document for its first reader. */
export function putFirstDoc(doctype: string, name: string, doc: unknown): void {
  docs.set(docKey(doctype, name), doc)
}

/** The document, while nobody has taken it. */
export function peekFirstDoc<T>(doctype: string, name: string): T | undefined {
  return docs.get(docKey(doctype, name)) as T | undefined
}

/** The document, for the first who asks. */
export function takeFirstDoc<T>(doctype: string, name: string): T | undefined {
  const doc = peekFirstDoc<T>(doctype, name)
  docs.delete(docKey(doctype, name))
  return doc
}
