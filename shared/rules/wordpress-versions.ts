/**
 * Whether this is the version of a stable WordPress release: `6.9` or `6.9.1`, not a beta, release candidate or nightly
 * build.
 */
export function isStableVersion(text: string): boolean {
  return /^\d{1,2}\.\d{1,2}(\.\d{1,3})?$/.test(text)
}

/** Negative if `a` is older, positive if it is newer. Compares numerically: 6.10 is newer than 6.9. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split('.').map(Number))
  for (let at = 0; at < 3; at += 1) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
