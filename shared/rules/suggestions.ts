/** Maximum number of suggestions (docs/contracts/screens.md, section 5). */
export const maxSuggestions = 5

/**
 * Returns up to five candidates that contain the typed text, in their original order. Ignores case and surrounding spaces.
 * An empty input matches everything.
 */
export function suggest<T>(typed: string, candidates: readonly T[], textOf: (candidate: T) => string): T[] {
  const wanted = typed.trim().toLowerCase()
  const found: T[] = []
  for (const candidate of candidates) {
    if (found.length === maxSuggestions) break
    if (textOf(candidate).toLowerCase().includes(wanted)) found.push(candidate)
  }
  return found
}
