import type { SiteRow } from './database.ts'
import { documentRoot, servicesPath, sitePath } from './layout.ts'
import { put, type Machine } from './machine.ts'

/** What EasyEngine's template of nginx' configuration says, as far as anything here looks at it. */
export function mainConfig({
  site_type: type,
  alias_domains: names,
}: Pick<SiteRow, 'site_type' | 'alias_domains'>): string {
  const lines = [`server_name ${names.replaceAll(',', ' ')};`, 'client_max_body_size 100m;']
  // Source: EasyEngine/site-type-wp, templates/config/nginx/main.conf.mustache.
  const uploads = 'location ~* /(?:uploads|files)/.*\\.php$ {\n  deny all;\n}'
  return [...lines, ...(type === 'wp' ? [uploads] : []), ''].join('\n')
}

/** Writes configuration and empty logs of a new site, and a page for one without WordPress. */
export function writeSiteFiles(machine: Machine, site: SiteRow): void {
  const domain = site.site_url
  const files: Record<string, string> = {
    // The login of a database is here for one in a container of the site's own only.
    '.env': `${site['db_host'] === 'db' ? `MYSQL_DATABASE=${site['db_name']}\n` : ''}VIRTUAL_HOST=${domain}\nRELAY_HOST=\nREPLY_EMAIL=\n`,
    'docker-compose.yml': `# ${domain}\n`,
    'config/nginx/conf.d/main.conf': mainConfig(site),
    'config/nginx/custom/user.conf': '# Custom nginx configuration\n',
    'logs/nginx/access.log': '',
    'logs/nginx/error.log': '',
  }
  if (site.site_type !== 'html')
    Object.assign(files, {
      'config/php/php/php.ini': '; PHP\n',
      'config/php/php/conf.d/custom.ini': 'upload_max_filesize = 100M\npost_max_size = 100M\nmemory_limit = 256M\n',
      'config/php/php-fpm.d/easyengine.conf': '[www]\npm = ondemand\npm.max_children = 20\n',
      'logs/php/access.log': '',
      'logs/php/error.log': '',
    })
  for (const [name, content] of Object.entries(files)) put(sitePath(machine, domain, name), content)
  const page = site.site_type === 'html' ? 'index.html' : 'index.php'
  if (site.site_type !== 'wp')
    put(`${documentRoot(machine, site)}/${page}`, `<!doctype html><title>${domain}</title><h1>${domain}</h1></html>\n`)
  put(machine.path(`${servicesPath}/nginx-proxy/logs/access.log`), '')
}
