/** A search text as a literal `like` pattern. */
export function likePattern(term: string): string {
  return `%${term.replaceAll(/[\\%_]/g, (character) => `\\${character}`)}%`
}
