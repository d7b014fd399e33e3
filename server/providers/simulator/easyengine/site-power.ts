import type { SiteRow } from './database.ts'
import { EeError, namedSite, recordEffect, type EeContext } from './ee-context.ts'
import { sitePath } from './layout.ts'
import { readIfThere } from './machine.ts'
import { removeKept } from './redis.ts'
import { writeOwnFiles } from './site-files.ts'

/** `ee site enable`. */
export function siteEnable(context: EeContext): void {
  const { options } = context
  const site = namedSite(context, { mustBeEnabled: false })
  if (site.site_enabled === '1' && options['force'] !== true && options['refresh'] !== true)
    throw new EeError(`${site.site_url} is already enabled!`)
  enable(context, site)
}

/** `ee site refresh`: makes the compose file again, and starts the site. */
export function siteRefresh(context: EeContext): void {
  const site = namedSite(context, { mustBeEnabled: true })
  writeOwnFiles(context.machine, site)
  enable(context, site)
}

function enable(context: EeContext, site: SiteRow): void {
  const domain = site.site_url
  context.log(`Enabling site ${domain}.`)
  context.database.updateSite(domain, { site_enabled: 1 })
  context.success(`Site ${domain} enabled.`)
  context.log('Running post enable configurations.')
  context.log("Starting site's services.")
  context.success('Post enable configurations complete.')
  recordEffect(context, `enable ${domain}`)
}

/** `ee site disable`: containers are removed, volumes stay. */
export function siteDisable(context: EeContext): void {
  const { site_url: domain } = namedSite(context, { mustBeEnabled: false })
  context.log(`Disabling site ${domain}.`)
  context.database.updateSite(domain, { site_enabled: 0 })
  context.success(`Site ${domain} disabled.`)
  recordEffect(context, `disable ${domain}`)
}

/** Whether nginx takes a site's configuration: braces match, and nothing is marked as broken. */
export function isNginxConfigValid({ machine }: Pick<EeContext, 'machine'>, domain: string): boolean {
  const [main = '', own = ''] = ['conf.d/main.conf', 'custom/user.conf'].map(
    (name) => readIfThere(sitePath(machine, domain, `config/nginx/${name}`)) ?? '',
  )
  const lines = own.split('\n').map((line) =>
    line
      .replaceAll(/'[^']*'|"[^"]*"/g, 'text')
      .replace(/#.*/, '')
      .trim(),
  )
  const count = (sign: string) => lines.join('').split(sign).length
  const isWhole = count('{') === count('}') && lines.every((line) => line === '' || /[;{}]$/.test(line))
  return isWhole && !saysTwice(`${main}\n${lines.join('\n')}`)
}

/** Directives that nginx refuses to see twice in a server: "directive is duplicate". Both files are of one. */
const once = ['charset', 'client_max_body_size', 'default_type', 'keepalive_timeout', 'root']

function saysTwice(text: string): boolean {
  // What is inside of blocks is their own.
  let outside = text
  for (let before = ''; before !== outside;) {
    before = outside
    outside = outside.replaceAll(/\{[^{}]*\}/g, ';')
  }
  const names = outside.split(/[;\n]/).map((line) => line.trim().split(/\s/)[0] ?? '')
  return once.some((name) => names.filter((one) => one === name).length > 1)
}

/** Services that a call names, or all of a site. */
function chosenServices({ options }: EeContext, site: SiteRow, names: readonly string[]): string[] {
  const chosen = names.filter((name) => options[name] === true)
  if (chosen.length > 0 && options['all'] !== true) return chosen
  const has: Readonly<Record<string, boolean>> = { php: site.site_type !== 'html', db: site['db_host'] === 'db' }
  return names.filter((name) => has[name] ?? true)
}

/** `ee site restart`: nginx only with a configuration that it takes. */
export function siteRestart(context: EeContext): void {
  const site = namedSite(context, { mustBeEnabled: true })
  const services = chosenServices(context, site, ['nginx', 'php', 'db'])
  if (services.includes('nginx') && !isNginxConfigValid(context, site.site_url)) throw new EeError('Nginx test failed')
  for (const service of services) context.log(`Restarting ${service}`)
  recordEffect(context, `restart ${site.site_url} ${services.join()}`)
}

/** `ee site reload`: a configuration that nginx refuses is not loaded, and the exit code is 0 all the same. */
export function siteReload(context: EeContext): void {
  const site = namedSite(context, { mustBeEnabled: true })
  const services = chosenServices(context, site, ['nginx', 'php']).filter((service) => {
    context.log(`Reloading ${service}`)
    const isTaken = service !== 'nginx' || isNginxConfigValid(context, site.site_url)
    if (!isTaken) context.machine.err('nginx: configuration file nginx.conf test failed\n')
    return isTaken
  })
  if (services.length > 0) recordEffect(context, `reload ${site.site_url} ${services.join()}`)
}

/** `ee site clean`: without a terminal Docker refuses, and success is printed nevertheless. */
export function siteClean(context: EeContext): void {
  const { options, machine } = context
  const site = namedSite(context, { mustBeEnabled: false })
  const isEverything = ['page', 'object', 'proxy'].every((name) => options[name] !== true)
  const hasProxyCache = site['proxy_cache'] === 'on'
  const caches = {
    Page: { is: isEverything || options['page'] === true, has: site['cache_nginx_fullpage'] === '1' },
    Object: { is: isEverything || options['object'] === true, has: site['cache_mysql_query'] === '1' },
    Proxy: { is: (isEverything && hasProxyCache) || options['proxy'] === true, has: hasProxyCache },
  }
  const asked = Object.entries(caches).filter(([, { is }]) => is)
  const missing = asked.filter(([, { has }]) => !has)
  if (missing.length > 0)
    throw new EeError(
      missing
        .map(([name]) =>
          name === 'Proxy' ? 'Proxy cache is not enabled on site.' : `Site ${name.toLowerCase()} cache is not enabled.`,
        )
        .join(' '),
    )
  for (const [name] of asked) {
    // [inf] A Redis of the site's own is never purged: it is always the global one that is asked.
    const isReached = machine.isTerminal && (name === 'Proxy' || site['cache_host'] !== 'redis')
    if (isReached && name !== 'Proxy')
      removeKept(machine, null, [`${site.site_url}_${name === 'Page' ? 'page' : 'obj'}`])
    if (isReached) recordEffect(context, `clean ${site.site_url} ${name.toLowerCase()}`)
    context.success(`${name} cache cleared for ${site.site_url}`)
  }
}
