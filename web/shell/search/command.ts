/** An action by its name and what people read for it. */
export interface Verb {
  name: string
  label: string
}

/** What a typed text asks for. */
export interface Command {
  /** Names of the actions it begins with; null when it begins with none. */
  actions: readonly string[] | null
  /** What is left to look up. */
  term: string
  /** Where it begins with none but has words of some: their names, and what is left without these words. */
  partly: { actions: readonly string[]; term: string } | null
}

/** Words between an action and what it is done to. */
const joining = /^(?:of|on|for|to|:|·)(?:\s+|$)/
/** Shorter beginnings of words stand for no action yet. */
const leastBeginning = 3

const wordsOf = (text: string): string[] => text.split(/[\s·]+/).filter((word) => word !== '' && !joining.test(word))

/** Whether a text holds every word of what was typed, whatever their order and case. */
export function holdsWords(text: string, typed: string): boolean {
  const held = text.toLowerCase()
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => held.includes(word))
}

/** The actions of whose labels and names most words were typed, or begun, in any order. */
function partlyNamed(text: string, verbs: readonly Verb[]): Command['partly'] {
  const typed = wordsOf(text)
  const isOf = (known: readonly string[], word: string): boolean =>
    known.includes(word) || (word.length >= leastBeginning && known.some((one) => one.startsWith(word)))
  const named = verbs.flatMap(({ name, label }) =>
    [wordsOf(label.toLowerCase()), name.split('_')].map((known) => {
      const left = typed.filter((word) => !isOf(known, word.toLowerCase()))
      return { name, left, count: typed.length - left.length }
    }),
  )
  const most = Math.max(0, ...named.map(({ count }) => count))
  if (most === 0) return null
  const best = named.filter(({ count }) => count === most)
  // What is left is looked up once: actions named by other words are others.
  const term = best[0]?.left.join(' ') ?? ''
  return { actions: [...new Set(best.filter(({ left }) => left.join(' ') === term).map(({ name }) => name))], term }
}

/**
 * Reads "open admin of blog" or "archive blog": the action's label or name comes first, the rest is looked up. A text
 * that begins with no action is looked up whole; words of actions in it ("delete", "shop delete") are told beside. Upper
 * and lower case are the same.
 */
export function readCommand(text: string, verbs: readonly Verb[]): Command {
  const typed = text.trim().toLowerCase()
  const phrases = verbs.flatMap(({ name, label }) => [
    { name, phrase: label.toLowerCase() },
    { name, phrase: name.replaceAll('_', ' ') },
  ])
  const begun = phrases.filter(({ phrase }) => typed === phrase || typed.startsWith(`${phrase} `))
  const longest = Math.max(0, ...begun.map(({ phrase }) => phrase.length))
  if (longest === 0) return { actions: null, term: text.trim(), partly: partlyNamed(text, verbs) }
  const actions = [...new Set(begun.filter(({ phrase }) => phrase.length === longest).map(({ name }) => name))]
  return { actions, term: text.trim().slice(longest).trim().replace(joining, ''), partly: null }
}

/** A typed text as a `like` pattern that takes it literally. */
export function containing(term: string): string {
  return `%${term.replaceAll(/[\\%_]/g, (character) => `\\${character}`)}%`
}

/** Text in parts; `hit` are the places where the term stands, whatever the case. */
export function marked(text: string, term: string): readonly { text: string; hit: boolean }[] {
  const wanted = term.trim().toLowerCase()
  const at = wanted === '' ? -1 : text.toLowerCase().indexOf(wanted)
  if (at < 0) return [{ text, hit: false }]
  const end = at + wanted.length
  return [
    { text: text.slice(0, at), hit: false },
    { text: text.slice(at, end), hit: true },
    { text: text.slice(end), hit: false },
  ].filter((part) => part.text !== '')
}

/** Those that begin with the term before those that hold it, else in their own order. */
export function beginningFirst<T>(rows: readonly T[], term: string, titleOf: (row: T) => string): T[] {
  const wanted = term.trim().toLowerCase()
  const rank = (row: T): number => (titleOf(row).toLowerCase().startsWith(wanted) ? 0 : 1)
  return rows.toSorted((a, b) => rank(a) - rank(b))
}
