import { findText, foldText } from '#shared/rules/fold-text.ts'

/** An action's name, label, phrase with `{title}`, and keywords. */
export interface Verb {
  name: string
  label: string
  phrase?: string
  keywords?: readonly string[]
}

/** A parsed search text. */
export interface Command {
  /** Names of the actions the text starts with; null if none. */
  actions: readonly string[] | null
  /** The rest to search for. */
  term: string
  /** If the text starts with no action but contains words of some: their names, and the text without these words. */
  partly: { actions: readonly string[]; term: string } | null
}

/** Words between an action and its object. */
const joining = /^(?:of|on|for|to|:|·)(?:\s+|$)/
/** Minimum prefix length that matches an action. */
const minPrefixLength = 3

const splitWords = (text: string): string[] => text.split(/[\s·]+/).filter((word) => word !== '' && !joining.test(word))

/** Whether each typed word begins a word of the text, in any order, regardless of case and diacritics. */
export function startsWords(text: string, typed: string): boolean {
  const words = foldText(text).split(/[\s()·:-]+/)
  const wanted = foldText(typed).split(/\s+/)
  return wanted.every((start) => words.some((word) => word.startsWith(start)))
}

/** Whether a text was typed as a whole, regardless of case and diacritics. */
export const isSameText = (text: string, typed: string): boolean => foldText(text) === foldText(typed.trim())

/** The actions with the most typed words (or prefixes) in their labels, names or keywords, in any order. */
function partlyNamed(text: string, verbs: readonly Verb[]): Command['partly'] {
  const typed = splitWords(text)
  const isOf = (known: readonly string[], word: string): boolean =>
    known.includes(word) || (word.length >= minPrefixLength && known.some((one) => one.startsWith(word)))
  const named = verbs.flatMap(({ name, label, keywords = [] }) =>
    [splitWords(label.toLowerCase()), name.split('_'), keywords.map((word) => word.toLowerCase())].map((known) => {
      const left = typed.filter((word) => !isOf(known, word.toLowerCase()))
      return { name, left, count: typed.length - left.length }
    }),
  )
  const most = Math.max(0, ...named.map(({ count }) => count))
  if (most === 0) return null
  const best = named.filter(({ count }) => count === most)
  // There is one follow-up search, so only actions that leave the same rest are kept.
  const term = best[0]?.left.join(' ') ?? ''
  return { actions: [...new Set(best.filter(({ left }) => left.join(' ') === term).map(({ name }) => name))], term }
}

/**
 * Parses "open admin of blog" or "archive blog": the action's label, phrase or name comes first, the rest is searched. Text that
 * starts with no action is searched as a whole, and actions whose words it contains ("delete", "shop delete") are returned
 * in `partly`. Case-insensitive.
 */
export function readCommand(text: string, verbs: readonly Verb[]): Command {
  const typed = text.trim().toLowerCase()
  const starts = verbs.flatMap(({ name, label, phrase = '' }) => {
    const [before = '', after = ''] = phrase.split('{title}')
    return [
      { name, start: label.toLowerCase(), end: '' },
      { name, start: name.replaceAll('_', ' '), end: '' },
      { name, start: before.trim().toLowerCase(), end: after.trim().toLowerCase() },
    ]
  })
  const startedWith = starts.filter(({ start }) => start !== '' && (typed === start || typed.startsWith(`${start} `)))
  const longest = Math.max(0, ...startedWith.map(({ start }) => start.length))
  if (longest === 0) return { actions: null, term: text.trim(), partly: partlyNamed(text, verbs) }
  const best = startedWith.filter(({ start }) => start.length === longest)
  const end = best.find((one) => one.end !== '' && typed.endsWith(` ${one.end}`))?.end ?? ''
  const rest = text.trim().slice(longest, end === '' ? undefined : -end.length)
  return { actions: [...new Set(best.map(({ name }) => name))], term: rest.trim().replace(joining, ''), partly: null }
}

/** Splits text into parts; `hit` marks the first match of the term. */
export function highlightMatches(text: string, term: string): readonly { text: string; hit: boolean }[] {
  const found = findText(text, term)
  if (!found) return [{ text, hit: false }]
  const { start, end } = found
  return [
    { text: text.slice(0, start), hit: false },
    { text: text.slice(start, end), hit: true },
    { text: text.slice(end), hit: false },
  ].filter((part) => part.text !== '')
}

/** Rows that start with the term first, otherwise in their own order. */
export function sortPrefixMatchesFirst<T>(rows: readonly T[], term: string, titleOf: (row: T) => string): T[] {
  const wanted = foldText(term.trim())
  const rank = (row: T): number => (foldText(titleOf(row)).startsWith(wanted) ? 0 : 1)
  return rows.toSorted((a, b) => rank(a) - rank(b))
}
