/**
 * What the host of a WordPress can do for it outside of its files: hide PHP errors from visitors, take the code editors out of the
 * admin area, and refuse to run PHP files among the uploads.
 */
export const siteProtections = ['hide_errors', 'no_file_editing', 'no_uploads_php'] as const

/** One of `siteProtections`. */
export type SiteProtection = (typeof siteProtections)[number]

/** The known protections of a list, each once, in their usual order. */
export function knownProtections(given: readonly unknown[]): SiteProtection[] {
  return siteProtections.filter((one) => given.includes(one))
}

/** Those of a site's field `protections`: names separated by spaces. */
export function parseProtections(field: string | null | undefined): SiteProtection[] {
  return knownProtections((field ?? '').split(' '))
}

/** The field `protections` for them; null for none. */
export function protectionsField(protections: readonly SiteProtection[]): string | null {
  return knownProtections(protections).join(' ') || null
}
