/** Keys of what recent.ts keeps in the browser. Apart from it, because public pages log out too, and need no more of it. */
export const recentPrefix = 'easydash:recent:'

/** Clears pages and uses of all users of this browser at the end of the session, because they contain names of sites and people. */
export function clearVisits(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(recentPrefix)) localStorage.removeItem(key)
  } catch {
    // Storage is blocked: nothing was kept.
  }
}
