/** Which sites belong together: they share what is limited for all of them. */
export interface SiteTenants {
  /** The tenant of a site; a site of which none is known is one of its own. */
  of(id: string): string
  set(tenants: ReadonlyMap<string, string>): void
}

/** Tenants as they were set last. */
export function createSiteTenants(): SiteTenants {
  let known: ReadonlyMap<string, string> = new Map()
  return {
    of: (id) => known.get(id) ?? `site ${id}`,
    set: (tenants) => {
      known = new Map(tenants)
    },
  }
}
