/**
 * Text without these characters at its end. In one pass: an expression such as `/x+$/` begins again at each of them, which
 * takes a text of many `x` time that grows with the square of its length.
 */
export function trimEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
