/** Splits the target of a request line into path and query; anything but a path counts as `/`. */
export function splitTarget(target: string): { path: string; query: string } {
  const cut = target.indexOf('?')
  const path = cut < 0 ? target : target.slice(0, cut)
  return { path: path.startsWith('/') ? path : '/', query: cut < 0 ? '' : target.slice(cut + 1) }
}

/**
 * The target passed to the router. Absolute forms (`GET http://…`) and `*` count as `/`. A `#` is part of the path: requests
 * have no fragment (RFC 9112, section 3.2), but the router would cut the path there.
 */
export function routedTarget(target: string): string {
  const { path, query } = splitTarget(target)
  return `${path.replaceAll('#', '%23')}${query === '' ? '' : `?${query}`}`
}

/** Whether a path belongs to Frappe's API. */
export function isApiPath(path: string): boolean {
  return path === '/api' || path.startsWith('/api/')
}
