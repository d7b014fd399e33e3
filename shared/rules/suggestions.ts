import { containsText } from './fold-text.ts'

/** Maximum number of suggestions (docs/contracts/screens.md, section 5). */
export const maxSuggestions = 5

/**
 * Returns up to five candidates that contain the typed text, in their original order. Ignores case, diacritics and surrounding spaces.
 * An empty input matches everything.
 */
export function suggest<T>(typed: string, candidates: readonly T[], textOf: (candidate: T) => string): T[] {
  const found: T[] = []
  for (const candidate of candidates) {
    if (found.length === maxSuggestions) break
    if (containsText(textOf(candidate), typed)) found.push(candidate)
  }
  return found
}
