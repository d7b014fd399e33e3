import { appendFileSync, existsSync } from 'node:fs'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { join } from 'node:path'
import { createSecureContext, TLSSocket, type SecureContext } from 'node:tls'
import { portOf } from '#server/platform/network/port-of.ts'
import { certificateName, readKeyPair } from './certificates.ts'
import { databasePath, openDatabase, type SiteRow } from './database.ts'
import { sitePath } from './layout.ts'
import { readIfThere, trapOf, type Machine } from './machine.ts'
import { answerByRules } from './nginx-rules.ts'
import { mayEnter } from './proxy-passwords.ts'
import { keptPage } from './redis.ts'
import { page, plainPage, staticPage, wordpressPage, type Page, type PageRequest } from './wordpress/pages.ts'

/** The web server of simulated machines. */
export interface SitesServer {
  readonly port: number
  /** Likewise over TLS, with the certificates of the sites. */
  readonly securePort: number
  close(): Promise<void>
}

type Root = Pick<Machine, 'path' | 'root'>

/**
 * Serves the sites of machines on a port of loopback, by the host of a request: `DOMAIN`, and `DOMAIN.localhost` for browsers. A machine
 * without EasyEngine closes the connection, as if nothing listened there.
 * @param roots folders of machines that are on now
 */
export async function serveSites(roots: () => readonly string[]): Promise<SitesServer> {
  const listener: RequestListener = (request, response) => {
    respond(roots(), request)
      .then((given) => {
        if (given === null) return void response.destroy()
        response.writeHead(given.status, { ...given.headers })
        response.end(request.method === 'HEAD' ? '' : given.body)
      })
      .catch((error: unknown) => {
        response.writeHead(500)
        response.end(String(error))
      })
  }
  const secure = createTlsServer(
    {
      SNICallback(name, callback) {
        const found = secureContextOf(roots(), name)
        if (found) callback(null, found)
        else callback(new Error(`No certificate for ${name}.`))
      },
    },
    listener,
  )
  const servers = [createServer(listener), secure]
  for (const server of servers) {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  }
  const [port = 0, securePort = 0] = servers.map((server) => portOf(server))
  return {
    port,
    securePort,
    close: async () => {
      for (const server of servers) {
        server.close()
        server.closeAllConnections()
        await once(server, 'close')
      }
    },
  }
}

const machinesOf = (roots: readonly string[]): Root[] =>
  roots.filter((root) => existsSync(join(root, databasePath))).map((root) => machineAt(root))

/** What the proxy serves a name with: the certificate of the site's kind, if it is there. */
function secureContextOf(roots: readonly string[], name: string): SecureContext | null {
  for (const machine of machinesOf(roots)) {
    const site = siteOf(machine, name.toLowerCase())
    const pair = site?.['site_ssl'] ? readKeyPair(machine, certificateName(site.site_url, site['site_ssl'])) : null
    if (pair) return createSecureContext(pair)
  }
  return null
}

const maxBody = 100_000

async function respond(roots: readonly string[], request: IncomingMessage): Promise<Page | null> {
  const host = (request.headers.host ?? '').toLowerCase().replace(/:\d+$/, '')
  const domain = host.replace(/\.localhost$/, '')
  const machines = machinesOf(roots)
  if (machines.every(({ root }) => trapOf(root, 'docker_down') === '')) return null
  for (const machine of machines) {
    const site = siteOf(machine, domain)
    if (site === null) continue
    const given = await siteResponse(machine, site, { request, domain, isBrowser: host !== domain })
    if (site.site_enabled === '1') logAccess(machine, site, request, given)
    return given
  }
  return unavailable
}

/** Of the proxy in front of all sites: none of that name runs. */
const unavailable: Page = page(503, '503 Service Temporarily Unavailable')

const machineAt = (root: string): Root => ({ root, path: (absolute) => join(root, absolute) })

function siteOf(machine: Root, domain: string): SiteRow | null {
  const database = openDatabase(machine)
  try {
    const isNamed = (alias: string) => alias === domain || (alias.startsWith('*.') && domain.endsWith(alias.slice(1)))
    return database.sites().find(({ alias_domains: aliases }) => aliases.split(',').some((one) => isNamed(one))) ?? null
  } finally {
    database.close()
  }
}

async function siteResponse(
  machine: Root,
  site: SiteRow,
  {
    request,
    domain,
    isBrowser,
  }: { readonly request: IncomingMessage; readonly domain: string; readonly isBrowser: boolean },
): Promise<Page> {
  if (site.site_enabled !== '1') return unavailable
  const url = new URL(request.url ?? '/', 'http://site.invalid')
  const isSecure = site['site_ssl'] && readKeyPair(machine, certificateName(site.site_url, site['site_ssl'])) !== null
  if (isSecure && !isBrowser && !(request.socket instanceof TLSSocket))
    return { status: 301, body: '', headers: { location: `https://${site.site_url}${url.pathname}${url.search}` } }
  if (!mayEnter(machine, site, { host: domain, authorization: request.headers.authorization ?? '' }))
    return { ...page(401, '401 Authorization Required'), headers: { 'www-authenticate': 'Basic realm="Restricted"' } }
  const path = decodeURI(url.pathname)
  const config = readIfThere(sitePath(machine, site.site_url, 'config/nginx/custom/user.conf')) ?? ''
  const headers = { ...request.headers, 'x-forwarded-proto': request.socket instanceof TLSSocket ? 'https' : 'http' }
  const answer = answerByRules(config, { path, query: url.search.slice(1), uri: request.url ?? '/', headers })
  if (answer !== null) return answer
  const denied = config.matchAll(/^location \^~ (\S+) \{ deny all; \}$/gm)
  if (denied.some(([, folder = '']) => path.startsWith(folder))) return page(403, '403 Forbidden')
  const file = staticPage(machine, site, path)
  if (file !== null) return file
  if (site.site_type !== 'wp') return plainPage(machine, site, path)
  const given = await pageRequest(request)
  const asked = {
    ...{ method: given.method, host: request.headers.host ?? '', uri: request.url ?? '/' },
    ...{ isSecure: request.socket instanceof TLSSocket, cookie: request.headers.cookie ?? '' },
  }
  return keptPage(machine, site, asked, () => wordpressPage(machine, site, { ...given, path, query: url.searchParams }))
}

async function pageRequest(request: IncomingMessage): Promise<Pick<PageRequest, 'method' | 'cookies' | 'form'>> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= maxBody) chunks.push(chunk)
  }
  const cookies = (request.headers.cookie ?? '').split('; ').map((one): [string, string] => {
    const at = one.indexOf('=')
    return [one.slice(0, at), decodeURIComponent(one.slice(at + 1))]
  })
  return {
    method: request.method ?? 'GET',
    cookies: Object.fromEntries(cookies),
    form: new URLSearchParams(Buffer.concat(chunks).toString()),
  }
}

/** A line in nginx's combined format, in which the site's own nginx logs. */
function logAccess(machine: Root, site: SiteRow, { method, url, headers }: IncomingMessage, given: Page): void {
  const time = new Date().toUTCString().replace(/^\w+, (\d+) (\w+) (\d+) ([\d:]+) GMT$/, '$1/$2/$3:$4 +0000')
  const quoted = (text: string | undefined) => `"${(text ?? '-').replaceAll(/["\\\s]/g, '_')}"`
  const line = `127.0.0.1 - - [${time}] "${method} ${url} HTTP/1.1" ${given.status} ${given.body.length} ${quoted(headers.referer)} "${headers['user-agent'] ?? '-'}"`
  appendFileSync(sitePath(machine, site.site_url, 'logs/nginx/access.log'), `${line}\n`)
}
