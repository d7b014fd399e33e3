import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { SiteRow } from './database.ts'
import { documentRoot, servicesPath, sitePath } from './layout.ts'
import { put, readIfThere, type Machine } from './machine.ts'

/** What EasyEngine's template of nginx' configuration says, as far as anything here looks at it. */
function mainConfig({ site_type: type, alias_domains: names }: Pick<SiteRow, 'site_type' | 'alias_domains'>): string {
  const lines = [`server_name ${names.replaceAll(',', ' ')};`, 'client_max_body_size 100m;']
  // Source: EasyEngine/site-type-wp, templates/config/nginx/main.conf.mustache.
  const uploads = 'location /wp-content/uploads/ {\n  location ~ \\.php$ {\n    # No PHP here.\n    deny all;\n  }\n}'
  return [...lines, ...(type === 'wp' ? [uploads] : []), ''].join('\n')
}

/** Files of `config/php` as EasyEngine's archive for a version has them. */
const phpConfig = (version: string): Readonly<Record<string, string>> => ({
  'php/php.ini': `; PHP ${version}\n`,
  // Nothing about memory, and no end of the last line. Source: EasyEngine/site-type-wp, templates/config/php-fpm/php.ini.mustache.
  'php/conf.d/custom.ini': 'upload_max_filesize = 100M\npost_max_size = 100M\n\nsendmail_path = /usr/bin/msmtp -t',
  'php-fpm.d/easyengine.conf': '[www]\npm = ondemand\npm.max_children = 20\n',
})

/**
 * Writes what EasyEngine makes from the row of a site, whatever is there. [inf] Which of its updates write nginx' file is not
 * certain: here all do, so that nothing can rely on it.
 */
export function writeOwnFiles(machine: Machine, site: Pick<SiteRow, 'site_url' | 'site_type' | 'alias_domains'>): void {
  put(sitePath(machine, site.site_url, 'docker-compose.yml'), `# ${site.alias_domains}\n`)
  put(sitePath(machine, site.site_url, 'config/nginx/conf.d/main.conf'), mainConfig(site))
}

/**
 * Replaces all of `config/php` by what a version comes with; two files are taken from the folder that it was copied to before. Source:
 * EasyEngine/site-command, src/helper/class-ee-site.php.
 */
export function replacePhpConfig(machine: Machine, domain: string, version: string, before: string): void {
  const folder = sitePath(machine, domain, 'config/php')
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true })
  const kept = ['php/conf.d/custom.ini', 'php-fpm.d/easyengine.conf']
  for (const [name, content] of Object.entries(phpConfig(version)))
    put(join(folder, name), (kept.includes(name) ? readIfThere(join(before, name)) : null) ?? content)
}

/** Writes configuration and empty logs of a new site, and a page for one without WordPress. */
export function writeSiteFiles(machine: Machine, site: SiteRow): void {
  const domain = site.site_url
  const files: Record<string, string> = {
    // The login of a database is here for one in a container of the site's own only.
    '.env': `${site['db_host'] === 'db' ? `MYSQL_DATABASE=${site['db_name']}\n` : ''}VIRTUAL_HOST=${domain}\nRELAY_HOST=\nREPLY_EMAIL=\n`,
    'config/nginx/custom/user.conf': '# Custom nginx configuration\n',
    'logs/nginx/access.log': '',
    'logs/nginx/error.log': '',
  }
  if (site.site_type !== 'html')
    Object.assign(files, {
      'config/nginx/custom/admin-tools.conf': '# Admin tools\n',
      // Of the image, whose content comes into an empty volume.
      'app/.bashrc': '# Shell\n',
      ...Object.fromEntries(
        Object.entries(phpConfig(site['php_version'] ?? '')).map(([name, content]) => [`config/php/${name}`, content]),
      ),
      'logs/php/access.log': '',
      'logs/php/error.log': '',
    })
  writeOwnFiles(machine, site)
  for (const [name, content] of Object.entries(files)) put(sitePath(machine, domain, name), content)
  const page = site.site_type === 'html' ? 'index.html' : 'index.php'
  if (site.site_type !== 'wp')
    put(`${documentRoot(machine, site)}/${page}`, `<!doctype html><title>${domain}</title><h1>${domain}</h1></html>\n`)
  put(machine.path(`${servicesPath}/nginx-proxy/logs/access.log`), '')
}
