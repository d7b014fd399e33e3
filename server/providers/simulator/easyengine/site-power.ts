import type { SiteRow } from './database.ts'
import { EeError, namedSite, recordEffect, type EeContext } from './ee-context.ts'
import { sitePath } from './layout.ts'
import { readIfThere } from './machine.ts'

/** `ee site enable`. */
export function siteEnable(context: EeContext): void {
  const { options } = context
  const site = namedSite(context, { mustBeEnabled: false })
  if (site.site_enabled === '1' && options['force'] !== true && options['refresh'] !== true)
    throw new EeError(`${site.site_url} is already enabled!`)
  enable(context, site)
}

/** `ee site refresh`: makes the compose file again, and starts the site. */
export const siteRefresh = (context: EeContext): void => enable(context, namedSite(context, { mustBeEnabled: true }))

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
  const text = readIfThere(sitePath(machine, domain, 'config/nginx/custom/user.conf')) ?? ''
  const open = text.split('{').length
  const lines = text.split('\n').map((line) => line.replace(/#.*/, '').trim())
  return open === text.split('}').length && lines.every((line) => line === '' || /[;{}]$/.test(line))
}

/** `ee site restart` and `ee site reload`: nginx only with a configuration that it takes. */
export function siteRestart(context: EeContext): void {
  const { options } = context
  const { site_url: domain } = namedSite(context, { mustBeEnabled: true })
  const chosen = ['nginx', 'php', 'db'].filter((name) => options[name] === true)
  const isAll = options['all'] === true || chosen.length === 0
  if ((isAll || chosen.includes('nginx')) && !isNginxConfigValid(context, domain))
    throw new EeError('Nginx test failed')
  recordEffect(context, `restart ${domain} ${isAll ? 'all' : chosen.join()}`)
}

/** `ee site reload`. */
export function siteReload(context: EeContext): void {
  const { options } = context
  const { site_url: domain } = namedSite(context, { mustBeEnabled: true })
  const chosen = ['nginx', 'php'].filter((name) => options[name] === true)
  // [inf] A configuration that nginx refuses is not reloaded, and the exit code is 0 all the same.
  if ((chosen.length === 0 || chosen.includes('nginx')) && !isNginxConfigValid(context, domain)) return
  recordEffect(context, `reload ${domain} ${chosen.join() || 'all'}`)
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
    if (isReached) recordEffect(context, `clean ${site.site_url} ${name.toLowerCase()}`)
    context.success(`${name} cache cleared for ${site.site_url}`)
  }
}
