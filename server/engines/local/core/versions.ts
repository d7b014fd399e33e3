/** Whether this is the version of a final WordPress release: `6.9` or `6.9.1`, no beta, candidate or nightly build. */
export function isStableVersion(text: string): boolean {
  return /^\d{1,2}\.\d{1,2}(\.\d{1,3})?$/.test(text)
}

/** Negative when `a` is the older one, positive when it is the newer one. Numbers, not letters: 6.10 is after 6.9. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split('.').map(Number))
  for (let at = 0; at < 3; at += 1) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
