/** A hue from 0 to 359, always the same for the same text. */
export function hue(text: string): number {
  let hash = 0
  for (const character of text) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 360
  return hash
}
