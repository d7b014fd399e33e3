/**
 * Answers that came with the page, by their keys of the cache. Whoever reads one of them first has it at once and without
 * a request; afterwards, and once the first page stands, it may be old and is read as ever.
 */
const answers = new Map<string, unknown>()
const taken = new Set<string>()

/** Key of a document in the cache, for optimistic writes from elsewhere, too. */
export function docKey(doctype: string, name: string): string {
  return `doc ${doctype} ${name}`
}

/** Key of a method's result in the cache. */
export function methodKey(method: string, params: Record<string, unknown>): string {
  return `method ${method} ${JSON.stringify(params)}`
}

/** Keeps an answer for its first reader. */
export function putFirstAnswer(key: string, answer: unknown): void {
  answers.set(key, answer)
}

/** The answer, until the first page stands. */
export function peekFirstAnswer<T>(key: string): T | undefined {
  return answers.get(key) as T | undefined
}

/** The answer, for the first who asks: who asks again wants news. */
export function takeFirstAnswer<T>(key: string): T | undefined {
  if (taken.has(key)) return undefined
  taken.add(key)
  return peekFirstAnswer<T>(key)
}

/** The first page stands: what nobody has taken by now is of no use any more. */
export function dropFirstAnswers(): void {
  answers.clear()
}
