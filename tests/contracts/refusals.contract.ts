import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Capability, CapabilityName, Engine, SiteSpec } from '#server/engines/engine.ts'
import { thisMachine, type SiteKind } from '#server/engines/site-ref.ts'
import { wordpressPerson } from '#tests/support/wordpress-person.ts'
import { failureOf } from './engine-failure.ts'
import { runSteps } from './run-steps.ts'

/** What the contract of missing capabilities runs on. */
interface RefusalsUnderTest {
  readonly engine: Engine
  readonly wp: SiteSpec
  readonly html: SiteSpec
  newSpec(kind: SiteKind, changes?: Partial<SiteSpec>): SiteSpec
  now(): number
}

type Calls = (under: RefusalsUnderTest) => readonly (() => unknown)[]

/**
 * Capabilities that no method of the contract depends on, those that every engine has here, and `multisite_subdomains`, which the
 * contract of networks has. Any other one must have calls below, or this doesn't compile.
 */
type Ungated =
  | ('create_wp' | 'create_html' | 'multisite_subdomains')
  | ('sleep' | 'backup' | 'ssh' | 'tls' | 'object_cache' | 'shell' | 'mail_delivery')

const signal = () => AbortSignal.timeout(300_000)
const file = join(tmpdir(), 'no-such-file.zip')
const archive = 'f'.repeat(32)

/**
 * What an engine without a capability refuses. Methods that only end what was begun are not here: there is nothing to end, and our own
 * clean-up may call them for every site.
 */
const refused = {
  create_php: ({ engine, newSpec }) => [() => engine.createSteps(newSpec('php'))],
  facts: ({ engine }) => [() => engine.hostInfo(thisMachine)],
  archive: ({ engine, wp }) => [() => engine.archiveSteps(wp), () => engine.restoreArchiveSteps(wp)],
  login_link: ({ engine, wp }) => [
    () => engine.loginLink(wp, wordpressPerson(), 30),
    () => engine.wordpress.loginAs(wp, wordpressPerson(), wp.adminUser, 30),
  ],
  php_version: ({ engine, wp }) => [() => engine.setPhpVersion(wp, '8.4')],
  thumbnail: ({ engine, html }) => [() => engine.thumbnail(html, signal())],
  cron: ({ engine, wp }) => [
    () => engine.runCron(wp),
    () => engine.wordpress.change(wp, { kind: 'pause_events', paused: true }),
    () => engine.wordpress.change(wp, { kind: 'run_event', id: `1|${'0'.repeat(32)}|wp_version_check` }),
  ],
  logs: ({ engine, wp }) => [
    () => engine.logs.sources(wp),
    () => engine.logs.read(wp, 'php', { from: 'end' }),
    () => engine.logs.clear(wp, 'php'),
    () => engine.logs.mails(wp),
    () => engine.logs.mail(wp, 'none'),
    () => engine.logs.deleteMail(wp, 'none'),
    () => engine.logs.clearMails(wp),
  ],
  php_limits: ({ engine, wp }) => [
    () => engine.settings.change(wp, { memoryMb: 128 }),
    () => engine.settings.change(wp, { uploadMb: 8 }),
  ],
  debug_mode: ({ engine, wp, now }) => [() => engine.settings.change(wp, { debugUntil: now() + 60_000 })],
  maintenance: ({ engine, wp, html }) =>
    [wp, html].map((site) => () => engine.settings.change(site, { maintenance: true })),
  http_auth: ({ engine, wp, html }) =>
    [wp, html].map((site) => () => engine.settings.change(site, { httpAuth: { user: 'a', password: 'a-password' } })),
  protections: ({ engine, wp }) => [() => engine.settings.change(wp, { protections: ['no_file_editing'] })],
  preview_link: ({ engine, wp, html, now }) =>
    [wp, html].flatMap((site) => [
      () => engine.settings.createPreview(site, now() + 60_000),
      () => engine.settings.endPreview(site),
    ]),
  wordpress_settings: ({ engine, wp }) => [
    () => engine.settings.readWordPress(wp),
    () => engine.settings.changeWordPress(wp, { title: 'Refused' }, { expected: {} }),
    () => engine.languages.offered(wp),
    () => engine.languages.install(wp, 'de_DE'),
  ],
  suspend: ({ engine, wp, html }) =>
    [wp, html].flatMap((site) => [() => engine.settings.suspend(site), () => engine.settings.resume(site)]),
  wordpress: ({ engine, wp }) => [
    () => engine.wordpress.inspect(wp),
    () => engine.wordpress.plugins(wp),
    () => engine.wordpress.users(wp, { search: '', page: 0 }),
    () => engine.wordpress.change(wp, { kind: 'flush_cache' }),
    () => engine.wordpress.setPassword(wp, wp.adminUser, 'a password of 24 letters'),
    () => engine.health.inspect(wp),
    () => engine.packages.stage(wp, file, { id: 'refused' }),
    () => engine.packages.install(wp, 'plugin', { slug: 'offered' }, { operationId: 'refused' }),
    () => engine.packages.restore(wp, 'plugin', 'tool', { operationId: 'refused' }),
    () => engine.packages.rollBack(wp, 'plugin', 'hello.php', 'refused'),
  ],
  checksums: ({ engine, wp }) => [
    () => engine.wordpress.verifyChecksums(wp),
    () => engine.originals.verifyPackages(wp),
    () => engine.originals.compare(wp, 'wp-includes/load.php'),
  ],
  core_version: ({ engine, wp }) => [
    () => engine.core.versions(wp),
    () => engine.core.changeSteps(wp, { previous: true, database: false }),
  ],
  files: ({ engine, html }) => [
    () => engine.files.list(html, ''),
    () => engine.files.read(html, 'index.html'),
    () => engine.files.write(html, 'refused.txt', '', null),
    () => engine.files.makeFolder(html, 'refused'),
    () => engine.files.move(html, [{ from: 'index.html', to: 'moved.html' }]),
    () => engine.files.copy(html, 'index.html', 'copied.html'),
    () => engine.files.remove(html, ['refused.txt']),
    () => engine.files.trash(html),
    () => engine.files.restore(html, 'none'),
    () => engine.files.emptyTrash(html),
    () => engine.files.put(html, 'refused.zip', file, false),
    () => engine.files.open(html, 'index.html'),
    () => engine.files.pack(html, ['index.html']),
    () => engine.files.packInto(html, ['index.html'], 'refused.zip', { signal: signal() }),
    () => engine.files.unpack(html, 'refused.zip', { into: '', replace: false, signal: signal() }),
  ],
  clone: ({ engine, wp, html, newSpec }) =>
    [wp, html].map((site) => () => engine.copies.cloneSteps(site, { ...copyOf(site, newSpec), title: null })),
  staging: ({ engine, wp, newSpec }) => {
    const staging = { httpAuth: { user: 'preview', password: 'a-long-password-of-staging' } }
    const choice = { files: true, database: false, digests: { files: '', database: null }, take: [], takeAll: [] }
    return [
      () => engine.copies.cloneSteps(wp, { ...copyOf(wp, newSpec), title: null, staging }),
      () => engine.staging.planSteps(wp, copyOf(wp, newSpec), () => Promise.resolve()),
      () => engine.staging.pushSteps(wp, copyOf(wp, newSpec), choice),
      () => engine.staging.rollBackSteps(wp),
      () => engine.staging.changesSincePush(wp),
    ]
  },
  export: ({ engine, wp, html }) =>
    [wp, html].flatMap((site) => [() => engine.exports.exportSteps(site), () => engine.exports.open(site)]),
  import: ({ engine, newSpec }) => {
    const spec = { ...newSpec('html'), archive, fileName: 'site.zip', title: null }
    return [
      () => engine.imports.take(archive, file),
      () => engine.imports.importSteps(spec),
      () => engine.imports.compare(spec, signal()),
    ]
  },
  aliases: ({ engine, wp, html }) =>
    [wp, html].map((site) => () => engine.domains.setAliases(site, [{ domain: 'refused.example', mode: 'serve' }])),
  domain_change: ({ engine, wp, html }) =>
    [wp, html].flatMap((site) => [
      () => engine.domains.findAddresses(site, 'elsewhere', null),
      () => engine.domains.changeSteps(site, 'elsewhere', []),
    ]),
  database: ({ engine, wp }) => [
    () => engine.database.tables(wp),
    () => engine.database.rows(wp, { table: 'wp_posts', start: 0 }),
    () => engine.database.cell(wp, { table: 'wp_posts', column: 'post_title', row: '1', start: 0 }),
  ],
  sql_console: ({ engine, wp }) => [
    () => engine.database.query(wp, 'SELECT 1'),
    () => engine.database.write(wp, 'DELETE FROM wp_options'),
  ],
  php_console: ({ engine, wp }) => [
    () => engine.console.runPhp(wp, "return '1';", { safe: false }),
    () => engine.console.runPhp(wp, "return '1';", { safe: true }),
  ],
  multisite: ({ engine, wp, newSpec }) => [
    () => engine.createSteps(newSpec('wp', { multisite: 'subdir' })),
    () => engine.networks.convertSteps(wp),
  ],
  mysql: ({ engine, wp, newSpec }) => [
    () => engine.createSteps(newSpec('wp', { database: 'mysql' })),
    () => engine.databaseMoves.steps(wp, 'mysql'),
  ],
} satisfies Record<Exclude<CapabilityName, Ungated>, Calls>

/** A capability without which an engine refuses something. */
export type GatedCapability = keyof typeof refused

/** All of them. */
export const gatedCapabilities = Object.keys(refused) as GatedCapability[]

function copyOf(site: SiteSpec, newSpec: RefusalsUnderTest['newSpec']): SiteSpec {
  const { id, domain } = newSpec(site.siteType)
  return { ...site, id, domain }
}

/** Begins what a call does: runs its steps, if it has some. */
async function begin(call: () => unknown): Promise<unknown> {
  const result = call()
  return Array.isArray(result) ? runSteps(result) : result
}

/**
 * What every engine does about capabilities that it lacks: the tests of these are skipped, and the methods refuse with the reason that it
 * declares, so that nothing half works.
 */
export function describeRefusals(under: () => RefusalsUnderTest): void {
  it('refuses, with the declared reason, whatever needs a capability it lacks', async (context) => {
    const all: Readonly<Record<string, Capability>> = under().engine.capabilities(thisMachine)
    const calls = gatedCapabilities.flatMap((name) => {
      const capability = all[name]
      return capability?.supported === false
        ? refused[name](under()).map((call) => [capability.reason, call] as const)
        : []
    })
    if (calls.length === 0) context.skip('It has all of them.')
    for (const [reason, call] of calls) {
      const error = await failureOf(() => begin(call)).catch((cause: unknown) => {
        throw new Error(`Not refused as unsupported: ${String(call)}`, { cause })
      })
      // It may be a part of a sentence.
      expect([error.code, error.message], String(call)).toEqual(['unsupported', expect.stringContaining(reason)])
    }
  })
}
