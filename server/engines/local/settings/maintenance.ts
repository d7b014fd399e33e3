import type { IncomingMessage } from 'node:http'
import { decodePath } from '../sites/static-files.ts'
import type { SiteRecord } from '../sites/site-record.ts'

/** Request header that makes `preload.php` refuse everyone who is not logged in to WordPress. Visitors can't send it. */
export const askHeader = 'x-easydash-maintenance'
/** Response header of that refusal. */
export const refusalHeader = 'x-easydash-refused'

/** Folders whose files the admin area and the login page consist of. */
const assetFolders = ['/wp-admin/', '/wp-includes/', '/wp-content/']

/**
 * What happens to a visitor's request during maintenance. `ask`: the visitor has a cookie of WordPress, which only the site
 * can check.
 */
export function maintenanceDecision(
  { siteType }: Pick<SiteRecord, 'siteType'>,
  request: IncomingMessage,
): 'pass' | 'ask' | 'refuse' {
  const path = decodePath(request.url ?? '/')
  if (siteType !== 'wp' || path === null) return 'refuse'
  if (path === '/wp-login.php' || path === '/wp-admin' || path.startsWith('/wp-admin/')) return 'pass'
  const isPage = path.endsWith('/') || /\.(?:html?|php)(?:\/|$)/i.test(path)
  if (!isPage && assetFolders.some((folder) => path.startsWith(folder)) && /\.[a-z0-9]+$/i.test(path)) return 'pass'
  const isLoggedIn = /(?:^|;\s*)wordpress_logged_in_[^=;]*=/.test(request.headers.cookie ?? '')
  // Other PHP files may not load WordPress, which decides.
  return isLoggedIn && (path === '/index.php' || !/\.php(?:\/|$)/i.test(path)) ? 'ask' : 'refuse'
}
