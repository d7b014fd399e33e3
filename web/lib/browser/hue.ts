import type { CSSProperties } from 'react'

/** A hue from 0 to 359, always the same for the same text. */
function hue(text: string): number {
  let hash = 0
  for (const character of text) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 360
  return hash
}

/** Style that sets `--h`, the hue of a text, for the classes of the element. */
export function hueStyle(text: string): CSSProperties & { '--h': number } {
  return { '--h': hue(text) }
}
