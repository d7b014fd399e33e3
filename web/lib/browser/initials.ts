/** Initials of the first two words, for site marks and avatars. */
export function initials(name: string): string {
  const words = name
    .trim()
    .split(/[\s@._-]+/)
    .filter(Boolean)
  // By code point, so that surrogate pairs stay whole.
  const first = (word: string | undefined) => (word === undefined ? '' : String.fromCodePoint(word.codePointAt(0) ?? 0))
  return (first(words[0] ?? '?') + first(words[1])).toUpperCase()
}
