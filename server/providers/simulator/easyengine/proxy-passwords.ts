/** HTTP authentication of the proxy: one file of passwords for each name, as far as it was there when the proxy's configuration was written. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { SiteRow } from './database.ts'
import { servicesPath } from './layout.ts'
import { put, readIfThere, type Machine } from './machine.ts'

type Root = Pick<Machine, 'path'>

const folderOf = (machine: Root): string => machine.path(`${servicesPath}/nginx-proxy/htpasswd`)
const configOf = (machine: Root): string => machine.path('/var/lib/simulated/proxy-passwords')

/** What docker-gen does whenever containers or EasyEngine change something. Source: EasyEngine/dockerfiles, nginx-proxy/nginx.tmpl. */
export function generateProxy(machine: Root): void {
  const folder = folderOf(machine)
  put(configOf(machine), existsSync(folder) ? readdirSync(folder).join('\n') : '')
}

/**
 * Whether the proxy passes a request on to a site: the users of the name that is visited, else those of all sites. Addresses of loopback may be
 * allowed besides. A file that has gone since locks everybody out.
 */
export function mayEnter(
  machine: Root,
  { alias_domains: names }: SiteRow,
  { host, authorization }: { readonly host: string; readonly authorization: string },
): boolean {
  const known = (readIfThere(configOf(machine)) ?? '').split('\n')
  const name = names.split(',').find((one) => one === host) ?? `*${host.slice(host.indexOf('.'))}`
  const scope = [name, 'default'].find((one) => known.includes(one))
  if (scope === undefined) return true
  const acl = (one: string) => readIfThere(machine.path(`${servicesPath}/nginx-proxy/vhost.d/${one}_acl`))
  if ((acl(name) ?? acl('default'))?.includes('allow 127.0.0.1;') === true) return true
  const path = `${folderOf(machine)}/${scope}`
  const users = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
  const [user = '', ...password] = Buffer.from(authorization.replace(/^Basic /, ''), 'base64')
    .toString()
    .split(':')
  return user !== '' && users.includes(`${user}:{PLAIN}${password.join(':')}`)
}
