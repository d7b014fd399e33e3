/**
 * The path without the first segment, for paths to files of WordPress below the address of a site of a sub-directory network;
 * null for all others. The rules are those of WordPress for web servers, which apply to paths that name no file:
 * https://developer.wordpress.org/advanced-administration/server/web-server/httpd/#multisite
 */
export function withoutSitePath(path: string): string | null {
  const end = path.indexOf('/', 1)
  if (end < 0 || !/^\/[0-9A-Za-z_-]+$/.test(path.slice(0, end))) return null
  const rest = path.slice(end)
  return /^\/wp-(?:content|admin|includes)(?:\/|$)/.test(rest) || rest.endsWith('.php') ? rest : null
}
