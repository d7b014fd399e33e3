/** A kept archive of a plugin or theme. */
export interface KeptArchive {
  readonly path: string
  readonly name: string
  readonly size: number
  /** When it was kept last, in milliseconds since 1970. */
  readonly at: number
  /** Tenants whose sites use it. */
  readonly tenants: readonly string[]
}

/**
 * Which archives go until the others fit: what nobody uses, then the oldest of the tenant that has most, so that nobody's many
 * packages displace those of others. An archive that several use counts in parts, and goes after those that only one uses.
 */
export function archivesToRemove(archives: readonly KeptArchive[], maxBytes: number): KeptArchive[] {
  const left = new Set(archives.toSorted((a, b) => a.at - b.at))
  const bytes = new Map<string, number>()
  let total = 0
  for (const { size, tenants } of left) {
    total += size
    for (const tenant of tenants) bytes.set(tenant, (bytes.get(tenant) ?? 0) + size / tenants.length)
  }
  const removed: KeptArchive[] = []
  while (total > maxBytes) {
    const next = nextOf([...left], bytes)
    if (next === undefined) break
    left.delete(next)
    removed.push(next)
    total -= next.size
    for (const tenant of next.tenants) bytes.set(tenant, (bytes.get(tenant) ?? 0) - next.size / next.tenants.length)
  }
  return removed
}

function nextOf(oldestFirst: readonly KeptArchive[], bytes: ReadonlyMap<string, number>): KeptArchive | undefined {
  const unused = oldestFirst.find(({ tenants }) => tenants.length === 0)
  if (unused) return unused
  const [largest] = [...bytes].toSorted(([, a], [, b]) => b - a)
  const own = oldestFirst.filter(({ tenants }) => largest !== undefined && tenants.includes(largest[0]))
  return own.find(({ tenants }) => tenants.length === 1) ?? own[0]
}
