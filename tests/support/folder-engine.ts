/**
 * A small engine for tests of jobs and sites: a site is a folder, so that what survives a killed process can be seen.
 * Names of sites steer it: `fail-STEP…` fails at that step, `flaky-STEP…` fails twice and then succeeds, `hang-STEP…`
 * waits until it is told to stop (STEP with hyphens for underscores).
 */
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  EngineError,
  type Capability,
  type CapabilityName,
  type Engine,
  type EngineStep,
  type SiteRef,
  type SiteSpec,
  type StepContext,
} from '#server/engines/engine.ts'

/** The engine with what tests look at. */
export interface FolderEngine extends Engine {
  listSites(): { id: string; domain: string; state: string; pid: null }[]
  on(
    event: 'site',
    listener: (event: { id: string; event: 'wake' | 'sleep' | 'crash'; reason: string | null }) => void,
  ): () => void
  /** Tells listeners what a real process would. */
  tell(event: { id: string; event: 'wake' | 'sleep' | 'crash'; reason: string | null }): void
  /** Steps and calls in the order in which they ran, e.g. `copy_files blog`. */
  readonly calls: string[]
  /** Answers of `request` to come instead of the page. */
  readonly answers: { status: number; body: string }[]
  /** Why a site is down, by id. */
  readonly crashed: Map<string, string>
}

const supported: Capability = { supported: true }
const missing: Capability = { supported: false, reason: 'The test engine cannot do this.' }

/** Opens the engine over a folder, which may hold sites from before. */
export function createFolderEngine(folder: string): FolderEngine {
  const calls: string[] = []
  const answers: FolderEngine['answers'] = []
  const crashed = new Map<string, string>()
  const listeners = new Set<Parameters<FolderEngine['on']>[1]>()
  const flaky = new Map<string, number>()
  const place = (site: Pick<SiteRef, 'id'>) => join(folder, site.id)
  const archive = (site: Pick<SiteRef, 'id'>) => join(folder, `${site.id}.archive`)
  const can = (name: CapabilityName) =>
    ['ssh', 'tls', 'shell', 'object_cache', 'mail_delivery', 'backup'].includes(name) ? missing : supported
  const names: CapabilityName[] = [
    'create_wp',
    'create_php',
    'create_html',
    'archive',
    'login_link',
    'php_version',
    'cron',
    'logs',
    'sleep',
    'backup',
    'ssh',
    'tls',
    'object_cache',
    'shell',
    'mail_delivery',
  ]

  async function behave(key: string, site: SiteRef, context: StepContext): Promise<void> {
    calls.push(`${key} ${site.domain}`)
    context.log(`${key} of ${site.domain}`)
    const word = key.replaceAll('_', '-')
    if (site.domain.startsWith(`fail-${word}`))
      throw new EngineError('unavailable', 'No space is left on the disk.', {
        nextAction: 'Free some disk space, then retry.',
      })
    if (site.domain.startsWith(`flaky-${word}`) && (flaky.get(site.id) ?? 0) < 2) {
      flaky.set(site.id, (flaky.get(site.id) ?? 0) + 1)
      throw new EngineError('unavailable', 'The network is slow.', { nextAction: 'Retry.', retryable: true })
    }
    if (site.domain.startsWith(`hang-${word}`)) {
      await new Promise((_resolve, reject) => {
        context.signal.addEventListener('abort', () => reject(context.signal.reason as Error))
        if (context.signal.aborted) reject(context.signal.reason as Error)
      })
    }
    context.signal.throwIfAborted()
  }
  const step = (site: SiteRef, key: string, label: string, work: () => Promise<void>): EngineStep => ({
    key,
    label,
    weight: 1,
    async run(context) {
      await behave(key, site, context)
      await work()
      context.progress(1)
    },
  })

  return {
    name: 'fake',
    capabilities: Object.fromEntries(names.map((name) => [name, can(name)])) as Record<CapabilityName, Capability>,
    calls,
    answers,
    crashed,
    phpVersions: () => ['8.2', '8.3', '8.4', '8.5'],
    hostFacts: async () => ({
      hostname: 'testbox',
      os: 'Debian 12',
      kernel: '6.1',
      processor: 'Test CPU',
      cpu: 2,
      ram: 4e9,
      disk: 1e11,
      diskFree: 5e10,
      totalSwap: 0,
      timezone: 'UTC',
      uptimeSeconds: 90_061,
    }),
    siteUrl: (site) => `http://${site.domain}.localhost:8080`,
    createSteps: (spec: SiteSpec) => [
      step(spec, 'prepare', 'Prepare', async () => {
        await mkdir(place(spec), { recursive: true })
        await writeFile(join(place(spec), 'site.json'), JSON.stringify({ domain: spec.domain, php: spec.phpVersion }))
      }),
      step(spec, 'copy_files', 'Copy files', async () => writeFile(join(place(spec), 'files.txt'), 'files')),
      step(spec, 'install', 'Install WordPress', async () => {
        await writeFile(
          join(place(spec), 'index.html.new'),
          `<html><title>${spec.title.replaceAll('&', '&amp;').replaceAll("'", '&#8217;')} – test</title></html>`,
        )
        await rename(join(place(spec), 'index.html.new'), join(place(spec), 'index.html'))
      }),
    ],
    archiveSteps: (site) => [
      step(site, 'pack', 'Pack the files', async () => {
        if (!existsSync(archive(site))) await rename(place(site), archive(site))
      }),
    ],
    restoreArchiveSteps: (site) => [
      step(site, 'unpack', 'Unpack the files', async () => {
        if (existsSync(archive(site))) await rename(archive(site), place(site))
      }),
    ],
    async destroy(site) {
      calls.push(`destroy ${site.domain}`)
      await rm(place(site), { recursive: true, force: true })
      await rm(archive(site), { recursive: true, force: true })
    },
    async observe(site) {
      const state = existsSync(archive(site))
        ? 'archived'
        : !existsSync(place(site))
          ? 'absent'
          : crashed.has(site.id)
            ? 'crashed'
            : existsSync(join(place(site), 'index.html'))
              ? 'running'
              : 'partial'
      return {
        state,
        wordpressVersion: site.siteType === 'wp' ? '6.5.5' : null,
        phpVersion: site.phpVersion,
        diskUsed: 1234,
        reason: crashed.get(site.id) ?? null,
      }
    },
    async request(site) {
      calls.push(`request ${site.domain}`)
      const answer = answers.shift()
      if (answer) return { ...answer, headers: {}, tookMs: 12 }
      if (!existsSync(join(place(site), 'index.html'))) return { status: 503, body: '', headers: {}, tookMs: 5 }
      return { status: 200, body: await readFile(join(place(site), 'index.html'), 'utf8'), headers: {}, tookMs: 12.4 }
    },
    loginLink: async (site, user, ttlSeconds) =>
      `http://${site.domain}.localhost:8080/login?user=${user}&ttl=${ttlSeconds}&token=once`,
    logs: async () => [],
    runCron: async () => 0,
    async setPhpVersion(site, version) {
      calls.push(`php ${version} ${site.domain}`)
      await writeFile(join(place(site), 'site.json'), JSON.stringify({ domain: site.domain, php: version }))
    },
    listSites: () =>
      readdirSync(folder).map((name) => ({
        id: name.replace('.archive', ''),
        domain: 'any',
        state: 'asleep',
        pid: null,
      })),
    on(_event, listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    tell: (event) => listeners.forEach((listener) => listener(event)),
    stop: async () => undefined,
  }
}
