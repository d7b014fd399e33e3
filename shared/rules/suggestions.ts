/** Most suggestions that are shown (docs/contracts/screens.md, section 5). */
export const mostSuggestions = 5

/**
 * What to suggest for a typed text: the candidates that hold it, whatever the case, without the spaces around it; the
 * first five in their own order. Nothing typed is part of every text: the first five.
 */
export function suggest<T>(typed: string, candidates: readonly T[], textOf: (candidate: T) => string): T[] {
  const wanted = typed.trim().toLowerCase()
  const found: T[] = []
  for (const candidate of candidates) {
    if (found.length === mostSuggestions) break
    if (textOf(candidate).toLowerCase().includes(wanted)) found.push(candidate)
  }
  return found
}
