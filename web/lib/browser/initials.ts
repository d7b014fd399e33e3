/** First letters of the first two words, for marks and avatars. */
export function initials(name: string): string {
  const words = name
    .trim()
    .split(/[\s@._-]+/)
    .filter(Boolean)
  // By characters, not by halves of them.
  const first = (word: string | undefined) => (word === undefined ? '' : String.fromCodePoint(word.codePointAt(0) ?? 0))
  return (first(words[0] ?? '?') + first(words[1])).toUpperCase()
}
