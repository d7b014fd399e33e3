import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { SiteRow } from './database.ts'
import { put, readIfThere, type Machine } from './machine.ts'

/** Folder of EasyEngine's global services and their files. */
export const servicesPath = '/opt/easyengine/services'
export const certificatesPath = `${servicesPath}/nginx-proxy/certs`

/** Volumes of a site, with the links to them below its folder. */
const volumes: Readonly<Record<string, string>> = {
  htdocs: 'app',
  config_nginx: 'config/nginx',
  log_nginx: 'logs/nginx',
}
const phpVolumes: Readonly<Record<string, string>> = {
  config_php: 'config/php',
  log_php: 'logs/php',
  data_postfix: 'services/postfix/spool',
  config_postfix: 'config/postfix',
}

/** Names of volumes have no dots and dashes: those of `ab.com` and `a-b.com` are the same. */
const prefixOf = (domain: string): string => domain.replaceAll(/[.-]/g, '')

const volumesOf = (type: string) => (type === 'html' ? volumes : { ...volumes, ...phpVolumes })

const volumePath = (machine: Machine, domain: string, name: string): string =>
  machine.path(`${volumesFolder}/${prefixOf(domain)}_${name}`)

/** Makes volumes and links. Returns false if a volume was there: then no link is made, and what is written lands in the other's. */
export function makeVolumes(machine: Machine, domain: string, type: string): boolean {
  let isOwn = true
  for (const [name, link] of Object.entries(volumesOf(type))) {
    const volume = volumePath(machine, domain, name)
    if (existsSync(volume)) {
      isOwn = false
      continue
    }
    mkdirSync(join(volume, '_data'), { recursive: true })
    put(join(volume, 'site'), domain)
    const path = machine.path(`/opt/easyengine/sites/${domain}/${link}`)
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(join(volume, '_data'), path)
  }
  return isOwn
}

const volumesFolder = '/var/lib/docker/volumes'

/** Names of the volumes that have the label of a site. */
export function volumesOfSite(machine: Pick<Machine, 'path'>, domain: string): string[] {
  const folder = machine.path(volumesFolder)
  if (!existsSync(folder)) return []
  return readdirSync(folder).filter((name) => readIfThere(join(folder, name, 'site')) === domain)
}

export const removeVolume = (machine: Pick<Machine, 'path'>, name: string): void =>
  rmSync(machine.path(`${volumesFolder}/${basename(name)}`), { recursive: true, force: true })

/** Removes the folder of a site, and the volumes that have its label. */
export function removeSiteFiles(machine: Machine, domain: string): void {
  for (const name of volumesOfSite(machine, domain)) removeVolume(machine, name)
  rmSync(machine.path(`/opt/easyengine/sites/${domain}`), { recursive: true, force: true })
}

/** A path inside a site's containers, on this machine. */
export function containerPath(machine: Pick<Machine, 'path'>, site: SiteRow, path: string): string {
  return machine.path(`${site.site_fs_path}/app${path.slice('/var/www'.length)}`)
}

/** The document root of a site, on this machine. */
export const documentRoot = (machine: Pick<Machine, 'path'>, site: SiteRow): string =>
  containerPath(machine, site, site.site_container_fs_path)

/** A file or folder of a site, on this machine. */
export const sitePath = (machine: Pick<Machine, 'path'>, domain: string, path: string): string =>
  machine.path(`/opt/easyengine/sites/${domain}/${path}`)
