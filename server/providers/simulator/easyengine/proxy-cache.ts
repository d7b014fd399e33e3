import { rmSync } from 'node:fs'
import type { SiteRow } from './database.ts'
import { textOption, type EeContext } from './ee-context.ts'
import { servicesPath } from './layout.ts'
import { put } from './machine.ts'

/** Writes the proxy cache's files: its sizes are stored there only. Values of the wrong form become the default, with a warning. */
export function writeProxyCache(context: EeContext, site: SiteRow): void {
  const value = (name: string, form: RegExp, usual: string) => {
    const given = textOption(context, `proxy-cache-${name}`)
    if (given === null || form.test(given)) return given ?? usual
    context.warning(
      `Wrong value \`${given}\` supplied to param: \`proxy-cache-${name}\`, replacing it with default:${usual}`,
    )
    return usual
  }
  const time = value('max-time', /^\d+[sm]$/, '1s')
  const size = value('max-size', /^\d+[mg]$/, '256m')
  const zone = value('key-zone-size', /^\d+m$/, '10m')
  const domain = site.site_url
  const path = (name: string) => context.machine.path(`${servicesPath}/nginx-proxy/${name}`)
  const cache = `proxy_cache_path /var/cache/nginx/${domain} levels=1:2 keys_zone=${domain}:${zone} max_size=${size} inactive=60m;\n`
  put(path(`conf.d/${domain}.conf`), cache)
  put(path(`vhost.d/${domain}_location`), `proxy_cache ${domain};\nproxy_cache_valid 200 ${time};\n`)
}

export function removeProxyCache({ machine }: EeContext, domain: string): void {
  for (const name of [`conf.d/${domain}.conf`, `vhost.d/${domain}_location`])
    rmSync(machine.path(`${servicesPath}/nginx-proxy/${name}`), { force: true })
}
