import { doctypes } from '#shared/doctypes/registry.ts'

/** Path (below /web) of a document's page; null if its doctype has none. */
export function documentPath(doctype: string | null | undefined, name: string | null | undefined): string | null {
  const page = doctypes.find((type) => type.name === doctype)?.page
  return page && name ? `${page}/${encodeURIComponent(name)}` : null
}
