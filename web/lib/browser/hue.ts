/** A hue for a text, 0 to 359: the same text always gets the same one. */
export function hue(text: string): number {
  let hash = 0
  for (const character of text) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 360
  return hash
}
