import type { FakeSite } from './fake-site.ts'

/** All names of a stored site. */
export function fakeNamesOf(site: FakeSite | null): string[] {
  if (site === null) return []
  const aliases = [...(site.aliases ?? []), ...(site.move?.aliases ?? [])].map(({ domain }) => domain)
  return [site.domain, ...aliases, ...(site.move ? [site.move.from, site.move.to] : [])]
}
