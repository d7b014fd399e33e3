import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { escapeHtml } from '#server/platform/mail/escape-html.ts'
import { untranslated, msg } from '#shared/localized-message.ts'
import {
  EngineError,
  type Capability,
  type CapabilityName,
  type Engine,
  type EngineStep,
  type ReadCredentials,
  type ServerRef,
  type SiteRef,
  type SiteResponse,
  type SiteSpec,
  type StepContext,
} from '../engine.ts'
import {
  assertPhp,
  assertRef,
  capabilityNames,
  createKeys,
  createLabels,
  fakePicture,
  hashOf,
  phpVersions,
  untilAborted,
  type FakeSite,
} from './fake-site.ts'

/** Options of the fake engine. */
export interface FakeEngineOptions {
  /** Sites are stored as files in this folder. A second fake engine on the same folder sees them, as after a restart. */
  folder: string
  /** Default 8080. */
  port?: number
  /** Default `localhost`. */
  sitesDomain?: string
  /** Milliseconds since 1970; set by tests. */
  clock?: () => number
  /** Default `machine`; `network` behaves like engines on remote servers. */
  reach?: Engine['reach']
  /** Capabilities of a server to report as unsupported, with the reason. */
  lacks?: (server: ServerRef) => Partial<Record<CapabilityName, string>>
  /** Called for steps and deletions on servers with an address, like engines do that connect to them. */
  readCredentials?: ReadCredentials
}

/** The fake engine with additional methods for tests. */
export interface FakeEngine extends Engine {
  /** Keys of all started steps, in order, as `domain:key`. */
  readonly begun: readonly string[]
  /** Servers it connected to for steps and deletions, in order, with the credentials it read. */
  readonly connections: readonly { readonly server: ServerRef; readonly credentials: string | null }[]
  /** Ids of all sites that left any trace. */
  traces(): string[]
  /** Marks a site as crashed. */
  crash(id: string, reason: string): void
}

/**
 * An engine without processes, for testing the code built on engines. Reserved domains fail at a step, e.g.
 * `fail-copy-files` (fails every time), `flaky-install` (fails once, retryable), `hang-check` (waits until it is cancelled).
 */
export function createFakeEngine(options: FakeEngineOptions): FakeEngine {
  mkdirSync(options.folder, { recursive: true })
  const now = options.clock ?? Date.now
  const begun: string[] = []
  const connections: { server: ServerRef; credentials: string | null }[] = []
  const connect = async (server: ServerRef): Promise<void> => {
    const { readCredentials } = options
    if (readCredentials === undefined || server.credentials === null) return
    connections.push({ server, credentials: await readCredentials(server.credentials) })
  }
  const tokens = new Map<string, { id: string; expiresAt: number }>()
  const file = (id: string): string => join(options.folder, `${id}.json`)

  const read = (id: string): FakeSite | null => {
    try {
      return JSON.parse(readFileSync(file(id), 'utf8')) as FakeSite
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    }
  }
  const write = (site: FakeSite): void => {
    writeFileSync(`${file(site.id)}.tmp`, JSON.stringify(site))
    renameSync(`${file(site.id)}.tmp`, file(site.id))
  }
  const traces = (): string[] =>
    readdirSync(options.folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => name.slice(0, -5))
  const siteUrl = (site: Pick<SiteRef, 'domain'>): string =>
    `http://${site.domain}.${options.sitesDomain ?? 'localhost'}:${options.port ?? 8080}`

  const existing = (site: SiteRef): FakeSite => {
    assertRef(site)
    const known = read(site.id)
    if (known === null)
      throw new EngineError('not_found', msg`This machine does not have the site.`, {
        nextAction: msg`Refresh the page.`,
      })
    return known
  }

  const step = (site: SiteRef, key: string, label: string, work: (context: StepContext) => void): EngineStep => ({
    key,
    label,
    run: async (context) => {
      context.signal.throwIfAborted()
      const earlier = begun.includes(`${site.domain}:${key}`)
      begun.push(`${site.domain}:${key}`)
      await connect(site.server)
      const dashed = key.replaceAll('_', '-')
      if (site.domain === `hang-${dashed}`) await untilAborted(context.signal)
      if (site.domain === `fail-${dashed}`)
        throw new EngineError('unavailable', msg`The step "${label}" failed on purpose.`, {
          nextAction: msg`Choose another name.`,
        })
      if (site.domain === `flaky-${dashed}` && !earlier)
        throw new EngineError('unavailable', msg`The step "${label}" failed once.`, {
          retryable: true,
          nextAction: msg`Try again.`,
        })
      work(context)
      context.log(`${label}: done`)
      context.progress(1)
    },
  })

  const claim = (spec: SiteSpec): FakeSite => {
    const taken = traces()
      .map(read)
      .find((site) => site?.domain === spec.domain && site.id !== spec.id)
    if (taken !== undefined)
      throw new EngineError('conflict', msg`Another site of this machine has this name.`, {
        nextAction: msg`Choose another name.`,
      })
    const { id, domain, siteType, phpVersion, title, adminUser } = spec
    return read(id) ?? { id, domain, siteType, phpVersion, title, adminUser, done: [], state: 'partial', reason: null }
  }

  const answer = (site: SiteRef, path: string): Omit<SiteResponse, 'tookMs'> => {
    const known = read(site.id)
    const page = (
      status: number,
      body: string,
      headers: Record<string, string> = {},
    ): Omit<SiteResponse, 'tookMs'> => ({
      status,
      body: `<!doctype html><html><head><title>${escapeHtml(body)}</title></head><body></body></html>`,
      headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
    })
    if (known === null) return page(404, 'No site here')
    if (known.state === 'archived') return page(410, 'This site is archived')
    if (known.state !== 'running') return page(503, known.reason ?? 'This site is being set up')
    if (!path.startsWith('/.easydash/login?')) return page(path === '/' ? 200 : 404, known.title)
    const key = hashOf(new URL(path, 'http://site').searchParams.get('token') ?? '')
    const token = tokens.get(key)
    tokens.delete(key)
    if (token === undefined || token.id !== known.id || token.expiresAt <= now())
      return page(302, known.title, { location: '/' })
    return page(302, known.title, {
      location: '/wp-admin/',
      'set-cookie': `fake_login=${known.adminUser}; path=/; HttpOnly`,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    })
  }

  return {
    name: 'fake',
    reach: options.reach ?? 'machine',
    capabilities: (server) => {
      const lacks = options.lacks?.(server)
      return Object.fromEntries(
        capabilityNames.map((name): [CapabilityName, Capability] => {
          const reason = lacks?.[name]
          return [name, reason === undefined ? { supported: true } : { supported: false, reason }]
        }),
      ) as Record<CapabilityName, Capability>
    },
    begun,
    connections,
    traces,
    siteUrl,
    phpVersions: () => phpVersions,
    hostFacts: async () => ({
      hostname: hostname(),
      os: 'Fake OS 1',
      kernel: 'Fake 1.0',
      processor: 'Fake processor',
      cpu: 2,
      ram: 4 * 2 ** 30,
      disk: 40 * 2 ** 30,
      diskFree: 20 * 2 ** 30,
      totalSwap: 0,
      timezone: 'UTC',
      uptimeSeconds: 3_600,
    }),
    createSteps: (spec) => {
      assertRef(spec)
      assertPhp(spec.phpVersion)
      return createKeys[spec.siteType].map((key) =>
        step(spec, key, createLabels[key] ?? key, () => {
          const site = claim(spec)
          const done = [...new Set([...site.done, key])]
          write({ ...site, done, state: key === 'check' || site.state === 'running' ? 'running' : 'partial' })
        }),
      )
    },
    archiveSteps: (site) => [
      step(site, 'stop_site', 'Stop the site', () => {
        write({ ...existing(site), state: 'partial' })
      }),
      step(site, 'pack_files', 'Pack and check the files', () => {
        write({ ...existing(site), state: 'archived' })
      }),
      {
        ...step(site, 'remove_files', 'Free the disk', () => {
          existing(site)
        }),
        destructive: true,
      },
    ],
    restoreArchiveSteps: (site) => [
      {
        ...step(site, 'unpack_files', 'Unpack the files', () => {
          existing(site)
        }),
        destructive: true,
      },
      step(site, 'check', 'Check that the site answers', () => {
        write({ ...existing(site), state: 'running' })
      }),
    ],
    destroy: async (site) => {
      assertRef(site)
      await connect(site.server)
      rmSync(file(site.id), { force: true })
    },
    observe: async (site) => {
      assertRef(site)
      const known = read(site.id)
      if (known === null)
        return { state: 'absent', wordpressVersion: null, phpVersion: null, diskUsed: 0, storage: null, reason: null }
      return {
        state: known.state,
        wordpressVersion: known.siteType === 'wp' ? '6.5.5' : null,
        phpVersion: known.siteType === 'html' ? null : known.phpVersion,
        diskUsed: 60_000_000,
        storage: null,
        reason: known.reason === null ? null : untranslated(known.reason),
      }
    },
    request: async (site, path, requestOptions) => {
      requestOptions?.signal?.throwIfAborted()
      return { ...answer(site, path), tookMs: 1 }
    },
    loginLink: async (site, user, ttlSeconds) => {
      const known = existing(site)
      if (known.siteType !== 'wp' || known.state !== 'running') {
        throw new EngineError('conflict', msg`Only a running WordPress site has a login.`, {
          nextAction: msg`Wait until the site is ready.`,
        })
      }
      const token = randomBytes(32).toString('base64url')
      // An unknown user gets a link to the public page, as WordPress itself would find no such user.
      if (user === known.adminUser) tokens.set(hashOf(token), { id: known.id, expiresAt: now() + ttlSeconds * 1000 })
      return `${siteUrl(site)}/.easydash/login?token=${token}`
    },
    picture: async (site, signal) => {
      signal.throwIfAborted()
      const known = existing(site)
      if (known.state !== 'running')
        throw new EngineError('unavailable', msg`The page did not load.`, { nextAction: msg`Visit the site.` })
      return { content: fakePicture, type: 'image/webp', width: 480, height: 300 }
    },
    logs: async (site, lines) => [`Fake log of ${existing(site).domain}`].slice(-lines),
    runCron: async (site) => (existing(site).siteType === 'wp' ? 1 : 0),
    setPhpVersion: async (site, version) => {
      const known = existing(site)
      assertPhp(version)
      write({ ...known, phpVersion: version })
    },
    crash: (id, reason) => {
      const known = read(id)
      if (known !== null) write({ ...known, state: 'crashed', reason })
    },
    stop: async () => undefined,
  }
}
