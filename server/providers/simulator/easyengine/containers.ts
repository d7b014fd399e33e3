import { createHash } from 'node:crypto'
import type { EasyEngineDatabase, SiteRow } from './database.ts'

/** A container as Docker shows it. */
export interface Container {
  readonly id: string
  readonly name: string
  readonly image: string
  /** Null for a global service. */
  readonly site: SiteRow | null
  readonly service: string
  readonly labels: Readonly<Record<string, string>>
}

const globalServices: Readonly<Record<string, string>> = {
  'global-nginx-proxy': 'easyengine/nginx-proxy:v4.10.2',
  'global-db': 'easyengine/mariadb:v4.9.1',
  'global-redis': 'easyengine/redis:v4.10.2',
  'global-cron': 'easyengine/cron:v4.10.2',
}

/** The id that Docker made up for a name. */
export const idOf = (name: string): string => createHash('sha256').update(name).digest('hex')

/** Containers of a machine: those of enabled sites and, once there is a site, the global ones. A disabled site has none. */
export function containersOf(database: EasyEngineDatabase): Container[] {
  const sites = database.sites()
  const globals = Object.entries(sites.length === 0 ? {} : globalServices).map(([service, image]) => ({
    id: idOf(service),
    name: `services_${service}_1`,
    image,
    site: null,
    service,
    labels: { 'com.docker.compose.service': service, 'com.docker.compose.project': 'services' },
  }))
  return [...globals, ...sites.filter(({ site_enabled: is }) => is === '1').flatMap((site) => containersOfSite(site))]
}

/** The container of a name or of the beginning of an id. */
export function findContainer(database: EasyEngineDatabase, word: string): Container | null {
  const isId = /^[0-9a-f]{4,64}$/
  return (
    containersOf(database).find(({ id, name }) => name === word || (isId.test(word) && id.startsWith(word))) ?? null
  )
}

function containersOfSite(site: SiteRow): Container[] {
  const domain = site.site_url
  // [inf] Compose takes the name of the folder without what it doesn't allow.
  const project = domain.replaceAll(/[^a-z0-9_-]/g, '')
  const version = site['php_version'] === 'latest' ? '8.4' : site['php_version']
  const services: [string, string][] = [
    ['nginx', 'easyengine/nginx:v4.10.2'],
    ...(site.site_type === 'html'
      ? []
      : ([
          ['php', `easyengine/php${version}:v4.10.2`],
          ['postfix', 'easyengine/postfix:v4.10.2'],
        ] satisfies [string, string][])),
    ...(site['db_host'] === 'db' ? [['db', 'easyengine/mariadb:v4.9.1'] satisfies [string, string]] : []),
    ...(site['cache_host'] === 'redis' ? [['redis', 'easyengine/redis:v4.10.2'] satisfies [string, string]] : []),
    ...(site['mailhog_enabled'] === '1' ? [['mailhog', 'easyengine/mailhog:v4.10.2'] satisfies [string, string]] : []),
  ]
  return services.map(([service, image]) => ({
    id: idOf(`${domain}/${service}`),
    name: `${project}-${service}-1`,
    image,
    site,
    service,
    labels: {
      'io.easyengine.site': domain,
      'org.label-schema.vendor': 'EasyEngine',
      'com.docker.compose.service': service,
      'com.docker.compose.project': project,
    },
  }))
}
