const pages: Readonly<Record<string, string>> = { Site: '/site', Server: '/server' }

/** Path (below /web) of a document's page; null if its doctype has none. */
export function documentPath(doctype: string | null | undefined, name: string | null | undefined): string | null {
  const page = doctype ? pages[doctype] : undefined
  return page && name ? `${page}/${encodeURIComponent(name)}` : null
}
