import type { Doctype } from '../doctype.ts'

type Named = Pick<Doctype, 'display_field' | 'title_field'>

/** What people call a document: the name they gave it, else its title; null if it has neither. */
export function displayName(type: Named, doc: Readonly<Record<string, unknown>>): string | null {
  for (const field of [type.display_field, type.title_field]) {
    const name = field === undefined ? undefined : doc[field]
    if (typeof name === 'string' && name !== '') return name
  }
  return null
}

/** What people call a site: its title, else its address. */
export const siteName = (site: { readonly title?: string | null; readonly domain: string }): string =>
  site.title || site.domain

/** The address of a site where it says more than its name does; null if it is its name. */
export const addressBesideName = (site: { readonly title?: string | null; readonly domain: string }): string | null =>
  siteName(site) === site.domain ? null : site.domain

/** A site as jobs and activity entries name it: what `referenceOf` says, of the fields that are needed for it. */
export const siteReference = (site: {
  readonly name: string
  readonly organization: string
  readonly domain: string
  readonly title: string | null
}) => {
  const address = addressBesideName(site)
  return {
    organization: site.organization,
    reference_doctype: 'Site',
    reference_name: site.name,
    reference_title: siteName(site),
    ...(address !== null && { reference_address: address }),
  }
}
