const letters: Readonly<Record<string, string>> = {
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ı: 'i',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
}

const isPlain = /^[\0-\x7F]*$/

/**
 * A text as searches compare it: regardless of case and diacritics, "Bäckerei" as "backerei". The database compares in the same
 * way (`easydash_fold`).
 */
export function foldText(text: string): string {
  const lower = text.toLowerCase()
  // Most texts are: the search folds hundreds at each key.
  if (isPlain.test(lower)) return lower
  return lower
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036F]/g, '')
    .replaceAll(/[øłđðıßæœ]/g, (letter) => letters[letter] ?? letter)
}

/** Whether a text contains another one, without the spaces around that, regardless of case and diacritics. */
export const containsText = (text: string, wanted: string): boolean => foldText(text).includes(foldText(wanted.trim()))

/** Where a text contains another one, regardless of case and diacritics, as positions in it; null if it doesn't. */
export function findText(text: string, wanted: string): { start: number; end: number } | null {
  const term = foldText(wanted.trim())
  if (term === '') return null
  let folded = ''
  /** For each character of the folded text, where its own one begins and ends. */
  const spans: { start: number; end: number }[] = []
  let start = 0
  for (const character of text) {
    const end = start + character.length
    const part = foldText(character)
    folded += part
    for (let n = 0; n < part.length; n += 1) spans.push({ start, end })
    start = end
  }
  const at = folded.indexOf(term)
  const [first, last] = [spans[at], spans[at + term.length - 1]]
  if (at < 0 || !first || !last) return null
  // Marks of its own that follow the last letter belong to it.
  const marks = /^[\u0300-\u036F]*/.exec(text.slice(last.end))?.[0].length ?? 0
  return { start: first.start, end: last.end + marks }
}
