/**
 * Removes these characters from the end of a text in a single pass. A regular expression such as `/x+$/` restarts at each of
 * them, which takes quadratic time on a text of many `x`.
 */
export function trimEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
