/** How the sites of a network are told apart: by the first part of the path, or by a subdomain. EasyEngine's names. */
export const multisiteKinds = ['subdir', 'subdom'] as const

/** One of `multisiteKinds`. */
export type MultisiteKind = (typeof multisiteKinds)[number]

/** Most sites of a network that are listed. */
export const maxListedNetworkSites = 100

/**
 * What a site of a sub-directory network can be called: it is the first part of its path. WordPress allows no others when its own form
 * adds a site (`wp-admin/network/site-new.php`), and keeps some for itself, which only it knows.
 */
export function isNetworkPath(text: string): boolean {
  return /^[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?$/.test(text)
}
