import { portOf } from '#server/platform/network/port-of.ts'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, request as httpRequest, type IncomingHttpHeaders, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { silentLog } from '#server/platform/log/log.ts'
import type { SiteSpec } from '../engine.ts'
import type { HostedSite } from '../site-host.ts'
import { thisMachine, type SiteRef } from '../site-ref.ts'
import { createLocalEngine, type LocalEngine, type LocalEngineOptions } from './local-engine.ts'

/** A running engine behind a real HTTP server, for tests. */
export interface EngineFixture {
  engine: LocalEngine
  dataDir: string
  port: number
  /** Requests the HTTP server received for hosts that belong to no site. */
  dashboardRequests: string[]
  /** Creates a site by running all its steps. */
  create(changes?: Partial<SiteSpec>): Promise<SiteSpec>
  /** The site as the engine holds it. */
  hosted(site: Pick<SiteRef, 'id'>): Promise<HostedSite | undefined>
  /** Replaces a file of a site without notifying PHP: choose new names where OPcache matters. */
  writeFile(site: SiteRef, path: string, content: string | Buffer): Promise<void>
  fetch(site: Pick<SiteRef, 'domain'> | string, path: string, options?: FetchOptions): Promise<Fetched>
  /** Writes a PHP script to the site and returns what it prints. */
  php(site: SiteRef, code: string): Promise<string>
  /** Last lines of the site's PHP error log, newest last. */
  errors(site: SiteRef): Promise<readonly string[]>
  end(): Promise<void>
}

/** One visitor request. */
export interface FetchOptions {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
}
/** The response to a visitor. */
export interface Fetched {
  status: number
  headers: IncomingHttpHeaders
  body: string
  bytes: Buffer
}

/** The download cache shared by tests and product. */
export const testCacheDir: string =
  process.env['EASYDASH_CACHE_DIR'] ?? fileURLToPath(new URL('../../../node_modules/.cache/easydash', import.meta.url))

let counter = 0

/** Starts a local engine on a separate folder behind an HTTP server, as in the product. */
export async function startFixture(changes: Partial<LocalEngineOptions> = {}): Promise<EngineFixture> {
  const dataDir = changes.dataDir ?? (await mkdtemp(join(tmpdir(), 'engine-')))
  // Like the product's data folder: not accessible to other users.
  await chmod(dataDir, 0o700)
  const dashboardRequests: string[] = []
  const server: Server = createServer()
  const port = await listen(server, changes.port ?? 0)
  const engine = await createLocalEngine({
    dataDir,
    cacheDir: testCacheDir,
    port,
    sitesDomain: 'localhost',
    sitesUrlPattern: null,
    idleMinutes: 10,
    awakeMax: 3,
    log: silentLog,
    // A closed port: tests never contact wordpress.org, even if this machine has a network.
    wordpressOrgUrl: 'http://127.0.0.1:9',
    keepSpare: false,
    ...changes,
  })
  server.on('request', (request, response) => {
    if (engine.ownsHost(request.headers.host ?? '')) engine.handleRequest(request, response)
    else {
      dashboardRequests.push(request.url ?? '')
      response.end('dashboard')
    }
  })

  const fetch: EngineFixture['fetch'] = (site, path, options = {}) =>
    fetchFrom(port, typeof site === 'string' ? site : `${site.domain}.localhost:${port}`, path, options)
  const write: EngineFixture['writeFile'] = (site, path, content) =>
    writeFile(join(dataDir, 'local', 'sites', site.id, 'www', path), content)
  return {
    engine,
    dataDir,
    port,
    dashboardRequests,
    fetch,
    writeFile: write,
    create: async (specChanges = {}) => {
      counter += 1
      const spec: SiteSpec = {
        id: `fixture${String(counter).padStart(3, '0')}`,
        domain: `site${counter}`,
        siteType: 'php',
        phpVersion: '8.3',
        server: thisMachine,
        title: `Site ${counter}`,
        adminUser: 'boss',
        adminEmail: 'boss@example.com',
        adminPassword: 'Abcdefghijklmnopqrstuvw1',
        ...specChanges,
      }
      for (const step of engine.createSteps(spec)) {
        await step.run({
          operationId: 'test',
          log: () => undefined,
          progress: () => undefined,
          signal: AbortSignal.timeout(300_000),
        })
      }
      return spec
    },
    hosted: async ({ id }) => (await engine.host.sites(thisMachine)).find((site) => site.id === id),
    php: async (site, code) => {
      counter += 1
      const name = `probe-${counter}.php`
      await write(site, name, `<?php ${code}`)
      return (await fetch(site, `/${name}`)).body
    },
    errors: async (site) => (await engine.logs.read(site, 'php', { from: 'end' })).lines,
    end: async () => {
      await engine.stop()
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
      if (changes.dataDir === undefined) await rm(dataDir, { recursive: true, force: true })
    },
  }
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return portOf(server)
}

/** Requests a page of a host from a server on this machine, as a visitor would. */
export function fetchFrom(port: number, host: string, path: string, options: FetchOptions = {}): Promise<Fetched> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: '127.0.0.1',
        port,
        path,
        method: options.method ?? 'GET',
        headers: { host, ...options.headers },
        agent: false,
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk)
        })
        response.once('error', reject)
        response.once('end', () => {
          const bytes = Buffer.concat(chunks)
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: bytes.toString('utf8'), bytes })
        })
      },
    )
    request.once('error', reject)
    request.end(options.body)
  })
}

/** Resolves when `condition` is true; checks every 20 ms. Limited by the test's own timeout. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition()))
    await new Promise((resolve) => {
      setTimeout(resolve, 20)
    })
}
