/** Where to go after login: a path of this app, never another site. Null if invalid. */
export function safeNext(next: string | null): string | null {
  if (!next || !next.startsWith('/')) return null
  // Browsers read `//host` and `/\host` as another site, so resolve the URL as they do.
  const target = new URL(`/web${next}`, location.origin)
  const inside =
    target.origin === location.origin && (target.pathname === '/web' || target.pathname.startsWith('/web/'))
  if (!inside) return null
  const path = target.pathname.slice('/web'.length) || '/'
  return ['/login', '/signup', '/forgot-password'].includes(path) ? null : path + target.search + target.hash
}
